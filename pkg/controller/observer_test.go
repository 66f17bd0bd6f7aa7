package controller

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// tally is an observer that counts.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (n *tally) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.counts == nil {
		n.counts = map[string]int{}
	}
	n.counts[fmt.Sprintf(format, args...)]++
}

func (n *tally) of(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts[what]
}

func (n *tally) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprint(slices.Sorted(maps.Keys(n.counts)), n.counts)
}

func (n *tally) RoundEnded(_ time.Duration, o Outcome) { n.add("round %s", o) }
func (n *tally) StatusWritten(bytes int, _ time.Duration, o Outcome) {
	n.add("write %s %t", o, bytes > 100)
}
func (n *tally) ActionEnded(action string, _ time.Duration, o Outcome) { n.add("%s %s", action, o) }
func (n *tally) Retried(of Subject, accountable bool)                  { n.add("%s retried %t", of, accountable) }
func (n *tally) NodeAvoided(advised bool)                              { n.add("node avoided %v", advised) }
func (n *tally) NodesNeeded(number int)                                { n.add("%d nodes needed", number) }
func (n *tally) HistoryDropped(records int)                            { n.add("%d records dropped", records) }
func (n *tally) LogsNotCollected(why LogsMissed)                       { n.add("logs not collected: %s", why) }
func (n *tally) ShadowVerdict(by consult.InShadow, o consult.ShadowOutcome) {
	n.add("shadow %s: %s", by, o)
}
func (n *tally) Deleted(kind reason.Kind, cause reason.Cause) { n.add("%s deleted %s", kind, cause) }
func (n *tally) WatchBroke(resource string)                   { n.add("watch %s", resource) }
func (n *tally) AttemptCompleted(of Subject, s *v1.CompletionStatus) {
	n.add("%s completed %d %s", of, s.Code, s.Type.Name)
}

// The observer is told of everything once it is stored, and of each attempt once.
func TestObserver(t *testing.T) {
	t.Parallel()
	n := &tally{}
	w := newWorld(t)
	w.options.Observer = n
	w.start()
	w.create("a", frameworkRetries(1), taskRetries(1))
	w.Inject("create pods", 1, apitest.DropConnection)
	for range 4 {
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		uid := w.Get(apitest.Pods, "a-w-0").GetUID()
		w.EndPod("a-w-0", 3)
		w.eventually("the Pod has gone", func() bool {
			pod := w.Get(apitest.Pods, "a-w-0")
			return pod == nil || pod.GetUID() != uid
		})
	}
	w.reaches("a", v1.Completed)
	w.BreakWatches()
	w.stop()
	for what, want := range map[string]int{
		"task completed 3 Failed":      4,
		"framework completed 3 Failed": 2,
		"task retried true":            2,
		"framework retried true":       1,
		"create_pod done":              4,
		"create_pod failed":            1,
		"create_configmap done":        2,
	} {
		if got := n.of(what); got != want {
			t.Errorf("%s: %d times, want %d", what, got, want)
		}
	}
	if n.of("round done") == 0 || n.of("write done true") == 0 {
		t.Error("no rounds or no writes")
	}
	if t.Failed() {
		t.Log(n)
	}
}

// What was not sent is not counted as done.
func TestObserverOfWhatWasNotSent(t *testing.T) {
	t.Parallel()
	n := &tally{}
	p := &performer{observer: n, now: time.Now}
	for _, err := range []error{errHeldBack, errNotReleased, errOwnsPods} {
		p.run(t.Context(), &prepared{
			performance: performance{action: lifecycle.DeleteConfigMap{}}, breaker: &flowcontrol.Breaker{}, desired: &desired{state: &lifecycle.State{}},
			request: func(context.Context) result { return result{err: err} },
		})
	}
	if len(n.counts) > 0 {
		t.Errorf("counted are %s", n)
	}
}
