package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// fakeNode has one container, which is started again when it ends, and serves its log as a kubelet does: the newest file of the
// run that is the latest, and of the one before. With each request, the next of its events happens first.
type fakeNode struct {
	mu     sync.Mutex
	events string
	runs   []*fakeRun
	shown  corev1.ContainerStatus // status in the API server, which may be older
	stale  bool                   // shown stays older
	cut    bool                   // the next reading breaks after its first line
	fails  bool                   // the next one fails
	begins bool                   // the next one fails, too late to answer with an error
	now    time.Time

	// answer is returned to requests for logs, once the events are over, for as long as away.
	answer error
	away   time.Duration
	since  time.Time
}

type fakeRun struct {
	lines   []string
	rotated int // number of lines that are no longer served
	ended   bool
}

func newFakeNode(events string) *fakeNode {
	n := &fakeNode{events: events, runs: []*fakeRun{{}}, now: time.Date(2026, 11, 28, 15, 0, 0, 0, time.UTC)}
	n.show()
	return n
}

func (n *fakeNode) show() {
	if n.stale {
		return
	}
	n.shown = running("main", n.id(len(n.runs)))
	n.shown.RestartCount = int32(len(n.runs) - 1)
	ended := func(run int) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: n.id(run)}}
	}
	if len(n.runs) > 1 {
		n.shown.LastTerminationState = ended(len(n.runs) - 1)
	}
	if n.runs[len(n.runs)-1].ended {
		n.shown.State = ended(len(n.runs))
	}
}

func (n *fakeNode) id(run int) string { return fmt.Sprint("run", run) }

// happen lets the next event happen. After the last one, the node works and the container ends.
func (n *fakeNode) happen() {
	defer n.show()
	run := n.runs[len(n.runs)-1]
	if n.events == "" {
		n.stale, n.cut, n.fails, run.ended = false, false, false, true
		return
	}
	event := n.events[0]
	n.events = n.events[1:]
	switch event {
	case 'w': // a line is written
		if !run.ended {
			n.now = n.now.Add(400 * time.Millisecond)
			run.lines = append(run.lines, fmt.Sprintf("%s line %d of run %d", n.now.Format(time.RFC3339Nano), len(run.lines)+1, len(n.runs)))
		}
	case 'e': // the container ends
		run.ended = true
	case 's': // it is started again
		run.ended = true
		n.runs = append(n.runs, &fakeRun{})
	case 'r': // the file is rotated
		if !run.ended { // only such a log is rotated
			run.rotated = len(run.lines)
		}
	case 'c': // the next reading breaks
		n.cut = true
	case 'f': // the next reading fails
		n.fails = true
	case 'b': // the next reading fails when it has begun
		n.begins = true
	case 'o': // the API server falls behind, or catches up
		n.stale = !n.stale
	}
}

func (n *fakeNode) open(_ context.Context, _ container, o *corev1.PodLogOptions) (io.ReadCloser, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.happen()
	if n.fails {
		n.fails = false
		return nil, errors.New("connection refused")
	}
	if n.events == "" && n.answer != nil {
		if n.since.IsZero() {
			n.since = time.Now()
		}
		if time.Since(n.since) < n.away {
			return nil, n.answer
		}
	}
	at := len(n.runs) - 1
	if o.Previous {
		at--
	}
	if at < 0 {
		return nil, apierrors.NewBadRequest("previous terminated container not found")
	}
	var lines []string
	for _, line := range n.runs[at].lines[n.runs[at].rotated:] {
		if at, _ := timed(line); o.SinceTime == nil || !at.Before(o.SinceTime.Truncate(time.Second)) {
			lines = append(lines, line+"\n")
		}
	}
	if n.begins {
		n.begins = false
		return io.NopCloser(strings.NewReader("unable to retrieve container logs")), nil
	}
	if n.cut {
		n.cut = false
		lines = lines[:min(1, len(lines))]
		return io.NopCloser(io.MultiReader(strings.NewReader(strings.Join(lines, "")), broken{})), nil
	}
	return io.NopCloser(strings.NewReader(strings.Join(lines, ""))), nil
}

func (n *fakeNode) pod() *corev1.Pod {
	pod := podOf("train-worker-0")
	pod.UID, pod.Status.ContainerStatuses = "A", []corev1.ContainerStatus{n.shown}
	return pod
}

// written returns the lines of all runs, except for lines that were rotated away before any line of their run was printed: these cannot be
// known.
func (n *fakeNode) written(printed []string) (all []string) {
	for _, run := range n.runs {
		known := false
		for i, line := range run.lines {
			_, text := timed(line)
			if known = known || i >= run.rotated || slices.Contains(printed, text); known {
				all = append(all, text)
			}
		}
	}
	return all
}

// follow follows it to the end.
func (n *fakeNode) follow(t *testing.T) (printed []string, errOut string) {
	t.Helper()
	client := fake.NewClientset()
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.happen()
		return true, n.pod(), nil
	})
	streams, _, out, e := genericiooptions.NewTestIOStreams()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	f := &following{
		logging: &logging{keptLogs: keptBy(&caller{IOStreams: streams}), follow: true, tail: -1, mostFollowed: 100, opens: n.open}, name: "train", stop: stop,
		k:     &cluster{core: client, namespace: "default", within: time.Minute},
		known: map[instance]bool{}, logs: map[logKey]*followedLog{}, pause: time.Second,
	}
	for i, over := 0, false; !over; i++ {
		if i > 20_000 {
			t.Fatalf("no end: %s", e)
		}
		n.mu.Lock()
		if f.underWay.Load() == 0 { // no request is under way
			n.happen()
		}
		pod, last := n.pod(), instance{"A", "main", n.id(len(n.runs))}
		over = n.events == "" && f.underWay.Load() == 0 && f.known[last]
		n.mu.Unlock()
		if err := f.take(ctx, pod); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
	}
	for line := range strings.Lines(out.String()) {
		printed = append(printed, strings.TrimSuffix(strings.TrimPrefix(line, "[worker-0] "), "\n"))
	}
	return printed, e.String()
}

// For any order of events between requests: no line is printed twice, none is missing without a report, and lines are in order unless a gap
// is reported. Nothing is reported unless the kubelet has dropped lines, or the API server was behind.
func TestFollowInAnyOrder(t *testing.T) {
	for order := range words("wesrcfo", 4) {
		tryOrder(t, order)
	}
	for _, order := range []string{"sfwsc", "fefos", "wswos", "weswr", "wcefowsw", "wceosfwfw", "wosowcfewr", "webw", "rbeww"} { // some needed a fix
		tryOrder(t, order)
	}
}

func tryOrder(t *testing.T, order string) {
	t.Helper()
	node := newFakeNode("w" + order + "ww")
	var printed []string
	var errOut string
	synctest.Test(t, func(t *testing.T) { printed, errOut = node.follow(t) })
	written := node.written(printed)
	complaint := ""
	switch sorted := slices.SortedFunc(slices.Values(printed), func(a, b string) int { return slices.Index(written, a) - slices.Index(written, b) }); {
	case len(slices.Compact(slices.Clone(sorted))) < len(printed):
		complaint = "a line twice"
	case errOut == "" && !slices.Equal(printed, written):
		complaint = "lines are missing, or in another order, and that is not reported"
	case errOut != "" && slices.Equal(printed, written) && !strings.ContainsAny(order, "ro") && strings.Count(order, "s") < 2:
		complaint = "it warns of nothing"
	}
	twice := strings.Count(order, "s") > 1 && strings.Contains(order, "o") // started again twice while the API server was behind
	if complaint != "" && !(twice && strings.Contains(complaint, "missing")) {
		t.Errorf("%s: %s: of\n%s\nwas printed\n%s\n%s", order, complaint, strings.Join(written, "\n"), strings.Join(printed, "\n"), errOut)
	}
}

// The rest of a log whose container has ended is sought for a while when it cannot be read, and that it is not found is reported.
func TestFollowSeeksTheRest(t *testing.T) {
	away, refused := errors.New("connection refused"), apierrors.NewBadRequest("pod cannot be found")
	const first, both = "line 1 of run 1", "line 1 of run 1 line 2 of run 1"
	for _, c := range []struct {
		answer     error
		away       time.Duration
		want, says string
	}{
		{away, 20 * time.Second, both, ""},
		{away, 9 * time.Minute, both, "warning: reading the log of Pod train-worker-0: connection refused\n"},
		{away, 11 * time.Minute, first, "giving up, so its last lines are missing: connection refused\n"},
		{refused, 20 * time.Second, both, ""},
		{refused, time.Minute, first, "giving up, so its last lines are missing: pod cannot be found\n"},
	} {
		node := newFakeNode("rwwe") // the second line is written after the first was read
		node.answer, node.away = c.answer, c.away
		var printed []string
		var errOut string
		synctest.Test(t, func(t *testing.T) { printed, errOut = node.follow(t) })
		if got := strings.Join(printed, " "); got != c.want || !strings.HasSuffix(errOut, c.says) || (c.says == "") != (errOut == "") {
			t.Errorf("%s for %s: got %s\n%s", c.answer, c.away, got, errOut)
		}
	}
}

// words are all words of that length.
func words(letters string, length int) iter.Seq[string] {
	return func(yield func(string) bool) {
		word := make([]byte, length)
		for n := range int(math.Pow(float64(len(letters)), float64(length))) {
			for i := range word {
				word[i] = letters[n%len(letters)]
				n /= len(letters)
			}
			if !yield(string(word)) {
				return
			}
		}
	}
}
