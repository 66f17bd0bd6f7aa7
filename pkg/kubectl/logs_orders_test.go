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
	events string
	runs   []*fakeRun
	shown  corev1.ContainerStatus // what the API server has; it may be older
	stale  bool                   // it stays older
	cut    bool                   // the next reading breaks after its first line
	fails  bool                   // the next one fails
	now    time.Time
}

type fakeRun struct {
	lines   []string
	rotated int // so many are no longer served
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

// happen lets the next event happen. When there are none left, all is well and the container ends.
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
	case 'w':
		if !run.ended {
			n.now = n.now.Add(400 * time.Millisecond)
			run.lines = append(run.lines, fmt.Sprintf("%s line %d of run %d", n.now.Format(time.RFC3339Nano), len(run.lines)+1, len(n.runs)))
		}
	case 'e':
		run.ended = true
	case 's':
		run.ended = true
		n.runs = append(n.runs, &fakeRun{})
	case 'r':
		if !run.ended { // only such a log is rotated
			run.rotated = len(run.lines)
		}
	case 'c':
		n.cut = true
	case 'f':
		n.fails = true
	case 'o':
		n.stale = !n.stale
	}
}

func (n *fakeNode) open(_ context.Context, _ container, o *corev1.PodLogOptions) (io.ReadCloser, error) {
	n.happen()
	if n.fails {
		n.fails = false
		return nil, errors.New("connection refused")
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

// written are the lines of all runs. What was rotated away before anything of its run was printed nobody can know of.
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
		n.happen()
		return true, n.pod(), nil
	})
	streams, _, out, e := genericiooptions.NewTestIOStreams()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	f := &following{
		logging: &logging{caller: &caller{IOStreams: streams}, follow: true, tail: -1, mostFollowed: 100, opens: n.open}, name: "train", stop: stop,
		k:     &cluster{core: client, namespace: "default", within: time.Minute},
		known: map[instance]bool{}, logs: map[logKey]*followedLog{}, pause: time.Second,
	}
	for i := 0; n.events != "" || f.underWay.Load() > 0 || !f.known[instance{"A", "main", n.id(len(n.runs))}]; i++ {
		if i > 20000 {
			t.Fatalf("no end: %s", e)
		}
		if f.underWay.Load() == 0 { // nobody asks
			n.happen()
		}
		if err := f.take(ctx, n.pod()); err != nil {
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

// Whatever happens between any two requests, in whatever order: no line is printed twice, none is missing unless that is reported, and
// they are in order, unless that is. Nothing is reported unless the kubelet has thrown lines away, or the API server was behind.
func TestFollowInAnyOrder(t *testing.T) {
	length := 5
	if testing.Short() {
		length = 3
	}
	for order := range words("wesrcfo", length) {
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
