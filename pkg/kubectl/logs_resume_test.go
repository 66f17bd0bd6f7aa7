package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/fake"
)

// logFile is a container's log, as a kubelet serves it: from the second that is asked for on.
type logFile struct {
	mu      sync.Mutex
	lines   []string // each with its time
	served  int      // number of readings
	breaks  []int    // number of bytes after which the first readings break; the others do not
	rotated int      // number of lines that are gone after the first reading
}

func (l *logFile) open(_ context.Context, _ container, o *corev1.PodLogOptions) (io.ReadCloser, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.served++
	from := 0
	if l.served > 1 {
		from = l.rotated
	}
	if o.TailLines != nil {
		from = len(l.lines) - int(*o.TailLines)
	}
	var text strings.Builder
	for _, line := range l.lines[from:] {
		if at, _ := timed(line); o.SinceTime == nil || !at.Before(o.SinceTime.Truncate(time.Second)) {
			text.WriteString(line + "\n")
		}
	}
	served := text.String()
	if len(l.breaks) >= l.served {
		served = served[:min(len(served), l.breaks[l.served-1])]
		if l.served%2 == 0 {
			return io.NopCloser(io.MultiReader(strings.NewReader(served), broken{})), nil
		}
		return io.NopCloser(strings.NewReader(served)), nil
	}
	return io.NopCloser(strings.NewReader(strings.TrimSuffix(served, "\n"))), nil // the last line has no end
}

// followLog follows one container with that log file, which ends after `looks` looks at its Pod.
func followLog(t *testing.T, file *logFile, looks int) (out, errOut string) {
	t.Helper()
	return followTail(t, file, looks, -1)
}

// followTail is followLog from the last lines on; -1 means all.
func followTail(t *testing.T, file *logFile, looks, tail int) (out, errOut string) {
	t.Helper()
	pod := podOf("train-worker-0")
	pod.UID, pod.Status.ContainerStatuses = "A", []corev1.ContainerStatus{running("main", "1")}
	client := fake.NewClientset(pod)
	streams, _, o, e := genericiooptions.NewTestIOStreams()
	ctx, stop := context.WithCancelCause(t.Context())
	f := &following{
		logging: &logging{keptLogs: keptBy(&caller{IOStreams: streams}), follow: true, tail: int64(tail), mostFollowed: 100}, name: "train", stop: stop,
		k: &cluster{core: client, namespace: "default", within: time.Minute}, known: map[instance]bool{},
	}
	f.opens = func(ctx context.Context, c container, o *corev1.PodLogOptions) (io.ReadCloser, error) {
		stream, err := file.open(ctx, c, o)
		if file.served == looks {
			pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
			_, err := client.CoreV1().Pods("default").UpdateStatus(ctx, pod, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
		return stream, err
	}
	f.pause = time.Millisecond
	f.stream(ctx, container{taskPod: taskPod{Pod: pod, role: "worker"}, name: "main"}, instance{"A", "main", "1"}, 0, newPosition(), readFollow)
	return o.String(), e.String()
}

// A log whose stream ends while its container runs is resumed, wherever it broke: no line is lost or repeated, even if lines are equal and
// have the same time.
func TestFollowTakesUpABrokenLog(t *testing.T) {
	file := &logFile{}
	want := ""
	start := time.Date(2026, 11, 28, 15, 0, 0, 999_000_000, time.UTC)
	for i := range 12 {
		at := start.Add(time.Duration(i/3) * 700 * time.Millisecond)
		file.lines = append(file.lines, at.Format(time.RFC3339Nano)+fmt.Sprintf(" line %d", i/2))
		want += fmt.Sprintf("[worker-0] line %d\n", i/2)
	}
	total := len(strings.Join(file.lines, "\n")) + 1
	for first := 0; first <= total; first += 7 {
		for second := 0; second <= total; second += 31 {
			file.served, file.breaks = 0, []int{first, second, total / 2}
			if out, errOut := followLog(t, file, 4); out != want || errOut != "" {
				t.Fatalf("broken after %d and %d bytes:\n%s%s", first, second, out, errOut)
			}
		}
	}
}

// Lines that --tail leaves out are not printed either when the log is taken up again, though it is asked for by whole seconds.
func TestFollowKeepsToTheTail(t *testing.T) {
	file := &logFile{breaks: []int{80}}
	for i := range 10 {
		at := time.Date(2026, 11, 28, 15, 0, 0, i*1_000_000, time.UTC)
		file.lines = append(file.lines, at.Format(time.RFC3339Nano)+fmt.Sprintf(" line %d", i))
	}
	for tail := 1; tail <= 3; tail++ {
		file.served = 0
		want := ""
		for i := 10 - tail; i < 10; i++ {
			want += fmt.Sprintf("[worker-0] line %d\n", i)
		}
		if out, errOut := followTail(t, file, 4, tail); out != want || errOut != "" {
			t.Errorf("--tail %d:\n%s%s", tail, out, errOut)
		}
	}
}

// If a log was rotated so that the line at which it is resumed is gone, a warning reports that.
func TestFollowSaysThatLinesMayBeMissing(t *testing.T) {
	file := &logFile{rotated: 3}
	for i := range 6 {
		at := time.Date(2026, 11, 28, 15, 0, i, 0, time.UTC)
		file.lines = append(file.lines, at.Format(time.RFC3339Nano)+fmt.Sprintf(" line %d", i))
	}
	file.breaks = []int{len(file.lines[0]) + 1}
	out, errOut := followLog(t, file, 2)
	if want := "[worker-0] line 0\n[worker-0] line 3\n[worker-0] line 4\n[worker-0] line 5\n"; out != want {
		t.Errorf("got %s", out)
	}
	if want := "warning: the log of Pod train-worker-0 was interrupted, and it was rotated or its container restarted before it could be read again: lines between 2026-11-28T15:00:00Z and 2026-11-28T15:00:03Z may be missing\n"; errOut != want {
		t.Errorf("it says %q", errOut)
	}
}

// On a terminal, colors remain. With --raw, and without a terminal, everything does.
func TestLogsOnATerminal(t *testing.T) {
	const line = "\x1b[31mred\x1b[0m \x1b]0;title\a\u009b2J\ta\rb"
	for name, tt := range map[string]struct {
		terminal, raw bool
		want          string
	}{
		"a file":            {false, false, "[ps-0] " + line + "\n"},
		"a terminal":        {true, false, "\x1b[31m[ps-0]\x1b[0m \x1b[31mred\x1b[0m  ]0;title  2J\ta b\x1b[0m\n"},
		"a terminal, --raw": {true, true, "\x1b[31m[ps-0]\x1b[0m " + line + "\n"},
	} {
		streams, _, out, _ := genericiooptions.NewTestIOStreams()
		l := &logging{keptLogs: keptBy(&caller{IOStreams: plainStreams(streams)}), terminal: tt.terminal, raw: tt.raw}
		require.NoError(t, l.copy("ps-0", 0, strings.NewReader(line)))
		if out.String() != tt.want {
			t.Errorf("%s gets %q, and not %q", name, out, tt.want)
		}
	}
}

// A missing permission ends everything.
func TestFollowWithoutPermission(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	f := &following{logging: &logging{}, k: &cluster{namespace: "default"}, stop: stop}
	err := apierrors.NewForbidden(corev1.Resource("pods"), "p", errors.New("no"))
	if !f.endsAll(ctx, err) || !strings.Contains(context.Cause(ctx).Error(), "pods/log") {
		t.Errorf("got %v", context.Cause(ctx))
	}
}
