package kubectl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

type logging struct {
	keptLogs
	follow, previous bool
	timestamps       bool
	since            time.Duration
	tail             int64
	container        string
	mostFollowed     int

	raw bool

	mu       sync.Mutex // guards the output
	terminal bool
	// opens replaces the requests for logs in tests; nil otherwise.
	opens func(context.Context, container, *corev1.PodLogOptions) (io.ReadCloser, error)
}

func (c *caller) logs() *cobra.Command {
	l := &logging{keptLogs: keptLogs{looking: looking{historyFlags: historyFlags{caller: c}}}}
	cmd := &cobra.Command{
		Use:   "logs NAME [ROLE[/INDEX]...] [-f] [--attempt N] [--first-failure] [--previous] [--since 1h] [--tail N] [-c CONTAINER] [--raw]",
		Short: "Print the logs of a Framework's Pods, each line with its Task",
		Long: `Print the logs of a Framework's Pods, each line with its Task.

The logs of init containers come first, with their names. With -f, Pods of retries are followed, too, as they
are created; it ends when the Framework has completed. An interrupted log is resumed from its last line.

The log of a Pod is lost when the Pod is deleted, unless the cluster has a history server that keeps logs. Then logs of
Pods that are gone, and with --attempt of earlier attempts, come from there. With --first-failure, it prints which Task of an attempt
failed first, and what all Tasks logged around that time.

On a terminal, colors are the only control characters of a log that have an effect, unless --raw is set. Files and
pipes get every byte.`,
		Args:              takesName(0),
		ValidArgsFunction: c.completeNames(true),
		RunE:              l.run,
	}
	l.addFlags(cmd)
	return cmd
}

func (l *logging) addFlags(cmd *cobra.Command) {
	l.keptLogs.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVarP(&l.follow, "follow", "f", false, "Follow the logs.")
	f.BoolVarP(&l.previous, "previous", "p", false, "Print the log of the container's previous run.")
	f.DurationVar(&l.since, "since", 0, "Print only lines that are not older than this, such as 10m.")
	f.Int64Var(&l.tail, "tail", -1, "Print only this many lines from the end of each log.")
	f.BoolVar(&l.timestamps, "timestamps", false, "Print the time of each line.")
	f.StringVarP(&l.container, "container", "c", "", "Container; by default the init containers, and the Pod's default container or else its first one.")
	f.BoolVar(&l.raw, "raw", false, "Print every byte on a terminal, too, including escape sequences that can manipulate it. By default, it gets only colors.")
	f.IntVar(&l.mostFollowed, "max-log-requests", 100, "Maximum number of containers that -f follows at a time, each over its own connection.")
}

func (l *logging) run(cmd *cobra.Command, args []string) error {
	if l.follow && l.previous {
		return errors.New("-f and --previous: use only one of them, as the log of a previous run does not grow")
	}
	if l.mostFollowed < 1 {
		return fmt.Errorf("--max-log-requests=%d: must be 1 or more", l.mostFollowed)
	}
	if err := l.keptLogs.check(args[1:], l.follow); err != nil {
		return err
	}
	l.terminal = isTerminal(l.Out)
	f, err := l.inCluster(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	defer f.close()
	if f.stored == nil || l.wantsHistory() {
		return l.runKept(cmd.Context(), f, args)
	}
	return l.runLive(cmd.Context(), f, args)
}

// runLive prints the logs of Pods that exist.
func (l *logging) runLive(ctx context.Context, f *found, args []string) error {
	var chosen []target
	for _, arg := range args[1:] {
		about, err := f.stored.parseTarget(arg)
		if err != nil {
			return err
		}
		chosen = append(chosen, about)
	}
	if err := l.checkContainer(ctx, f.cluster, f.stored, chosen); err != nil {
		return err
	}
	if l.follow {
		return l.followAll(ctx, f.cluster, f.stored.Name, chosen)
	}
	err := l.printAll(ctx, f.cluster, f.stored, chosen)
	if errors.Is(err, errNoPods) {
		return l.insteadOfPods(ctx, f, args)
	}
	return err
}

// insteadOfPods prints kept logs, as there are no Pods. If the history cannot be read, that is the error.
func (l *logging) insteadOfPods(ctx context.Context, f *found, args []string) (err error) {
	if f.past, err = l.connect(ctx); err != nil {
		s := f.stored
		return withoutHistory(fmt.Errorf("framework %s has %w, and the logs of earlier ones are gone with them: kubectl framework explain %s -n %s shows how they ended",
			s.Name, errNoPods, s.Name, s.Namespace), err)
	}
	if _, err := fmt.Fprintf(l.ErrOut, "Framework %s has %v. These logs are from the history.\n", f.stored.Name, errNoPods); err != nil {
		return err
	}
	return l.runKept(ctx, f, args)
}

// runKept prints logs of the history.
func (l *logging) runKept(ctx context.Context, f *found, args []string) (err error) {
	if l.follow {
		return fmt.Errorf("framework %s is not in the cluster, so its logs do not grow: leave out -f", bare(args[0]))
	}
	if f.past == nil {
		if f.past, err = l.connect(ctx); err != nil {
			return err
		}
	}
	of := keptOf{past: f.past, name: bare(args[0]), uid: l.uid}
	if f.stored != nil {
		of.uid = string(f.stored.UID)
	}
	if l.number >= 0 {
		of.attempt = &l.number
	}
	if l.firstFailure {
		return l.printFirstFailure(ctx, of)
	}
	return l.printKept(ctx, of, args[1:])
}

// errNoPods: none of the chosen Pods exists.
var errNoPods = errors.New("no such Pods now")

// printAll prints the existing logs, one Pod after the other. If a log cannot be read, the others are still printed.
func (l *logging) printAll(ctx context.Context, k *cluster, s *stored, chosen []target) error {
	pods, err := k.pods(ctx, s.Name, chosen)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return errNoPods
	}
	var failed error
	for _, p := range pods {
		for _, c := range l.containersOf(p) {
			err := l.print(ctx, k, c)
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return ctx.Err()
			case apierrors.IsForbidden(err):
				return k.mayNotReadLogs(err)
			default:
				failed = errors.New("some logs could not be read")
				l.warn(c, err)
			}
		}
	}
	return failed
}

// warn reports that a log could not be read.
func (l *logging) warn(c container, err error) {
	fmt.Fprintf(l.ErrOut, "warning: reading the log of Pod %s: %v\n", c.Name, err)
}

// mayNotReadLogs adds the missing permission, and how to grant it.
func (k *cluster) mayNotReadLogs(err error) error {
	return fmt.Errorf("%w: this needs the verb get on pods/log, which is in the role view: kubectl create rolebinding viewer --clusterrole=view --user=NAME -n %s", err, k.namespace)
}

// print prints the log of one container.
func (l *logging) print(ctx context.Context, k *cluster, c container) error {
	stream, err := l.open(ctx, k, c, l.options(c))
	if err != nil {
		return err
	}
	defer stream.Close()
	return l.copy(c.title(), c.index, stream)
}

// options translates the flags for one log.
func (l *logging) options(c container) *corev1.PodLogOptions {
	o := &corev1.PodLogOptions{Container: c.name, Previous: l.previous, Timestamps: l.timestamps}
	if l.since > 0 {
		seconds := max(int64(l.since.Seconds()), 1)
		o.SinceSeconds = &seconds
	}
	if l.tail >= 0 {
		o.TailLines = &l.tail
	}
	return o
}

// open starts reading a log.
func (l *logging) open(ctx context.Context, k *cluster, c container, o *corev1.PodLogOptions) (io.ReadCloser, error) {
	if l.opens != nil {
		return l.opens(ctx, c, o)
	}
	return k.core.CoreV1().Pods(k.namespace).GetLogs(c.Name, o).Stream(ctx)
}

// prefix identifies the Task of a line.
func (l *logging) prefix(whose string, index int32) string {
	whose = onOneLine(whose) // write passes it to the terminal directly
	if l.terminal {
		return fmt.Sprintf("\x1b[%dm[%s]\x1b[0m ", 31+index%6, whose)
	}
	return "[" + whose + "] "
}

// copy prints lines with the prefix of their Task. Lines of several containers do not mix.
func (l *logging) copy(whose string, index int32, from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if writeErr := l.write(l.prefix(whose, index), line); writeErr != nil {
				return writeErr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// write prints a line. Files, pipes and terminals with --raw get it unchanged; other terminals get its colors, and no other
// control characters.
func (l *logging) write(prefix, line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line == "" || line[len(line)-1] != '\n' {
		line += "\n"
	}
	if l.terminal && !l.raw {
		line = colored(line)
	}
	_, err := io.WriteString(direct(l.Out), prefix+line)
	return err
}
