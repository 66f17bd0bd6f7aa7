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
	"k8s.io/cli-runtime/pkg/printers"
)

type logging struct {
	*caller
	follow, previous bool
	since            time.Duration
	tail             int64
	container        string
	mostFollowed     int

	mu     sync.Mutex // of the output
	colour bool
}

func (c *caller) logs() *cobra.Command {
	l := &logging{caller: c}
	cmd := &cobra.Command{
		Use:   "logs NAME [ROLE[/INDEX]...] [-f] [--previous] [--since 1h] [--tail N] [-c CONTAINER]",
		Short: "Print what the Pods of a Framework have printed, each line with its Task",
		Long: `Print what the Pods of a Framework have printed, each line with its Task.

What init containers have printed comes first, with their names. With -f, Pods of retries are followed, too, as they
come; it ends when the Framework has completed. What a Pod has printed is gone with the Pod.`,
		Args:              takesName(0),
		ValidArgsFunction: c.completeNames(true),
		RunE:              l.run,
	}
	l.addFlags(cmd)
	return cmd
}

func (l *logging) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&l.follow, "follow", "f", false, "Go on as more is printed.")
	f.BoolVarP(&l.previous, "previous", "p", false, "Print what the container printed before it was started again.")
	f.DurationVar(&l.since, "since", 0, "Only what is not older than that, such as 10m.")
	f.Int64Var(&l.tail, "tail", -1, "Only so many last lines of each Pod.")
	f.StringVarP(&l.container, "container", "c", "", "Container; by default the init containers, and the first one or the one that the Pod says is its default.")
	f.IntVar(&l.mostFollowed, "max-log-requests", 100, "How many containers -f follows at a time, each with a connection.")
}

func (l *logging) run(cmd *cobra.Command, args []string) error {
	if l.follow && l.previous {
		return errors.New("-f and --previous: use one of them, as what is over does not go on")
	}
	if l.mostFollowed < 1 {
		return fmt.Errorf("--max-log-requests=%d: it has to be 1 or more", l.mostFollowed)
	}
	k, err := l.cluster()
	if err != nil {
		return err
	}
	s, err := k.get(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	var chosen []target
	for _, arg := range args[1:] {
		about, err := s.parseTarget(arg)
		if err != nil {
			return err
		}
		chosen = append(chosen, about)
	}
	if err := l.checkContainer(cmd.Context(), k, s, chosen); err != nil {
		return err
	}
	l.colour = printers.IsTerminal(l.Out)
	if l.follow {
		return l.followAll(cmd.Context(), k, s.Name, chosen)
	}
	return l.printAll(cmd.Context(), k, s, chosen)
}

// printAll prints what there is, one Pod after the other. One whose log cannot be read does not keep the others back.
func (l *logging) printAll(ctx context.Context, k *cluster, s *stored, chosen []target) error {
	pods, err := k.pods(ctx, s.Name, chosen)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return fmt.Errorf("framework %s has no such Pods now, and what earlier ones have printed is gone with them: kubectl framework explain %s -n %s says how they ended", s.Name, s.Name, s.Namespace)
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

// warn says that a log is missing among the others.
func (l *logging) warn(c container, err error) {
	fmt.Fprintf(l.ErrOut, "warning: reading the log of Pod %s: %v\n", c.Name, err)
}

// mayNotReadLogs names the permission, and how to grant it.
func (k *cluster) mayNotReadLogs(err error) error {
	return fmt.Errorf("%w: it takes the verb get on pods/log, which the role view has: kubectl create rolebinding viewer --clusterrole=view --user=NAME -n %s", err, k.namespace)
}

// print prints the log of one container.
func (l *logging) print(ctx context.Context, k *cluster, c container) error {
	o := &corev1.PodLogOptions{Container: c.name, Follow: l.follow, Previous: l.previous}
	if l.since > 0 {
		seconds := max(int64(l.since.Seconds()), 1)
		o.SinceSeconds = &seconds
	}
	if l.tail >= 0 {
		o.TailLines = &l.tail
	}
	stream, err := k.core.CoreV1().Pods(k.namespace).GetLogs(c.Name, o).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	return l.copy(c.title(), c.index, stream)
}

// copy prints lines with whose they are in front. Lines of several containers do not mix.
func (l *logging) copy(whose string, index int32, from io.Reader) error {
	prefix := "[" + whose + "] "
	if l.colour {
		prefix = fmt.Sprintf("\x1b[%dm[%s]\x1b[0m ", 31+index%6, whose)
	}
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if writeErr := l.write(prefix, line); writeErr != nil {
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

func (l *logging) write(prefix, line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line[len(line)-1] != '\n' {
		line += "\n"
	}
	_, err := io.WriteString(l.Out, prefix+line)
	return err
}
