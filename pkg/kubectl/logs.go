package kubectl

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/printers"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

type logging struct {
	*caller
	follow, previous bool
	since            time.Duration
	tail             int64
	container        string

	mu     sync.Mutex // of the output
	colour bool
}

// mostFollowed is how many Pods are followed at a time. Each takes a connection.
const mostFollowed = 100

func (c *caller) logs() *cobra.Command {
	l := &logging{caller: c}
	cmd := &cobra.Command{
		Use:   "logs NAME [ROLE[/INDEX]...] [-f] [--previous] [--since 1h] [--tail N] [-c CONTAINER]",
		Short: "Print what the Pods of a Framework have printed, each line with its Task",
		Long: `Print what the Pods of a Framework have printed, each line with its Task.

With -f, Pods of retries are followed, too, as they come; it ends when the Framework has completed. What a Pod has
printed is gone with the Pod.`,
		Args:              takesName(0),
		ValidArgsFunction: c.completeNames(true),
		RunE:              l.run,
	}
	f := cmd.Flags()
	f.BoolVarP(&l.follow, "follow", "f", false, "Go on as more is printed.")
	f.BoolVarP(&l.previous, "previous", "p", false, "Print what the container printed before it was started again.")
	f.DurationVar(&l.since, "since", 0, "Only what is not older than that, such as 10m.")
	f.Int64Var(&l.tail, "tail", -1, "Only so many last lines of each Pod.")
	f.StringVarP(&l.container, "container", "c", "", "Container; by default the first one, or the one that the Pod says is its default.")
	return cmd
}

func (l *logging) run(cmd *cobra.Command, args []string) error {
	if l.follow && l.previous {
		return errors.New("-f and --previous: use one of them, as what is over does not go on")
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
	l.colour = printers.IsTerminal(l.Out)
	if l.follow {
		return l.followAll(cmd.Context(), k, s.Name, chosen)
	}
	return l.printAll(cmd.Context(), k, s, chosen)
}

// taskPod is the Pod of a Task.
type taskPod struct {
	*corev1.Pod
	role  string
	index int32
}

// pods lists the Pods of chosen Tasks, of all if none is chosen, in the order of roles and indices.
func (k *cluster) pods(ctx context.Context, name string, chosen []target) (pods []taskPod, err error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	list, err := k.core.CoreV1().Pods(k.namespace).List(ctx, metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=" + name})
	if err != nil {
		return nil, k.inPlainWords(err)
	}
	for i := range list.Items {
		role, index, ok := v1.ParsePodName(name, list.Items[i].Name)
		covers := func(a target) bool { return a.role == role && (a.index < 0 || a.index == index) }
		if ok && (len(chosen) == 0 || slices.ContainsFunc(chosen, covers)) {
			pods = append(pods, taskPod{&list.Items[i], role, index})
		}
	}
	slices.SortFunc(pods, func(a, b taskPod) int { return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.index, b.index)) })
	return pods, nil
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
		if err := l.print(ctx, k, p); err != nil {
			if apierrors.IsForbidden(err) {
				return k.mayNotReadLogs(err)
			}
			failed = errors.New("some logs could not be read")
			l.warn(p, err)
		}
	}
	return failed
}

// warn says that a log is missing among the others.
func (l *logging) warn(p taskPod, err error) {
	fmt.Fprintf(l.ErrOut, "warning: reading the log of Pod %s: %v\n", p.Name, err)
}

// mayNotReadLogs names the permission, and how to grant it.
func (k *cluster) mayNotReadLogs(err error) error {
	return fmt.Errorf("%w: it takes the verb get on pods/log, which the role view has: kubectl create rolebinding viewer --clusterrole=view --user=NAME -n %s", err, k.namespace)
}

// print prints the log of one container.
func (l *logging) print(ctx context.Context, k *cluster, p taskPod) error {
	o := &corev1.PodLogOptions{Container: l.containerOf(p.Pod), Follow: l.follow, Previous: l.previous}
	if l.since > 0 {
		seconds := max(int64(l.since.Seconds()), 1)
		o.SinceSeconds = &seconds
	}
	if l.tail >= 0 {
		o.TailLines = &l.tail
	}
	stream, err := k.core.CoreV1().Pods(k.namespace).GetLogs(p.Name, o).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	return l.copy(explain.TaskName(p.role, p.index), p.index, stream)
}

// defaultContainer is the annotation that names the container which kubectl takes, too.
const defaultContainer = "kubectl.kubernetes.io/default-container"

func (l *logging) containerOf(p *corev1.Pod) string {
	if l.container != "" || len(p.Spec.Containers) == 0 {
		return l.container
	}
	return cmp.Or(p.Annotations[defaultContainer], p.Spec.Containers[0].Name)
}

// copy prints lines with the Task in front. Lines of several Pods do not mix.
func (l *logging) copy(task string, index int32, from io.Reader) error {
	prefix := "[" + task + "] "
	if l.colour {
		prefix = fmt.Sprintf("\x1b[%dm[%s]\x1b[0m ", 31+index%6, task)
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

// lookForPods is how often it is looked for Pods of retries.
const lookForPods = time.Second

// followAll follows the Pods that there are, and those that come, until the Framework has completed.
func (l *logging) followAll(ctx context.Context, k *cluster, name string, chosen []target) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var streams sync.WaitGroup
	defer streams.Wait()
	fail := func(err error) error {
		stop(err) // or it would be told only after all streams have ended
		return err
	}
	followed, underWay := map[types.UID]bool{}, atomic.Int32{}
	for {
		pods, err := k.pods(ctx, name, chosen)
		if err != nil {
			return fail(err)
		}
		for _, p := range pods {
			if followed[p.UID] || !hasStarted(p.Pod) {
				continue
			}
			if underWay.Load() == mostFollowed {
				return fail(fmt.Errorf("framework %s has more than %d Pods to follow: name roles or Tasks, such as worker/0", name, mostFollowed))
			}
			followed[p.UID] = true
			underWay.Add(1)
			streams.Go(func() {
				defer underWay.Add(-1)
				switch err := l.print(ctx, k, p); {
				case apierrors.IsForbidden(err):
					stop(k.mayNotReadLogs(err))
				case err != nil && ctx.Err() == nil:
					l.warn(p, err)
				}
			})
		}
		s, err := k.get(ctx, name)
		if apierrors.IsNotFound(err) || err == nil && hasCompleted(s) {
			return nil // after what is being printed
		}
		select {
		case <-ctx.Done():
			return whyStopped(ctx)
		case <-time.After(lookForPods):
		}
	}
}

// whyStopped is nil if the user has ended it.
func whyStopped(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// hasStarted reports whether a Pod has something to say.
func hasStarted(p *corev1.Pod) bool {
	return p.Status.Phase != corev1.PodPending && p.Status.Phase != ""
}
