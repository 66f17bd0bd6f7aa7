package controller

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// queueing is a scheduler that signals when its answer changes, and may take attempts back.
type queueing struct {
	oneScheduler
	*queue
}

type queue struct {
	mu       sync.Mutex
	says     *pluginpb.MayCreateResponse
	admitted []bool // for each question, whether the attempt was admitted
}

func (queueing) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Wait: true, Watch: true}, pluginhost.Source{Plugin: "hints"}, nil
}

func (s queueing) MayCreate(_ context.Context, _ string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admitted = append(s.admitted, q.GetAdmitted())
	return s.says, pluginhost.Source{Plugin: "hints"}, nil
}

// say sets the answer from now on, without signalling it.
func (s queueing) say(answer *pluginpb.MayCreateResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = answer
}

func newQueueing() queueing {
	return queueing{queue: &queue{says: &pluginpb.MayCreateResponse{Reason: "queued", RetryAfterSeconds: 3600}}}
}

// When a scheduler signals a change, it is asked at once. The patches of its admission are stored before the first Pod.
func TestAdmissionIsHeardAndStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newQueueing()
	w.startWith(s)
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
	s.say(&pluginpb.MayCreateResponse{Yes: true, Patches: []*pluginpb.PodPatch{{TaskRole: "w", Labels: map[string]string{"pool": "fast"}}}})
	w.c.HintsChanged("default", "a")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	var admission struct{ Yes bool }
	stored := w.status("a").AttemptStatus.SchedulerHints
	if err := json.Unmarshal(stored.Admission, &admission); err != nil || !admission.Yes || !strings.Contains(string(stored.Admission), "fast") {
		t.Errorf("stored is %s, %v", stored.Admission, err)
	}
	if labels := w.Get(apitest.Pods, "a-w-0").GetLabels(); labels["pool"] != "fast" {
		t.Errorf("the Pod has the labels %v", labels)
	}
}

// A role that is removed after the admission leaves its patches behind, which do no harm.
func TestAdmissionOfRolesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newQueueing()
	pool := map[string]string{"pool": "fast"}
	s.say(&pluginpb.MayCreateResponse{Yes: true, Patches: []*pluginpb.PodPatch{{TaskRole: "gone", Labels: pool}, {TaskRole: "w", Labels: pool}}})
	w.startWith(s)
	w.create("a")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	if labels := w.Get(apitest.Pods, "a-w-0").GetLabels(); labels["pool"] != "fast" {
		t.Errorf("the Pod has the labels %v", labels)
	}
}

// An attempt that is taken back ends, and the next one waits for its admission, without a counted retry.
func TestAttemptIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newQueueing()
	s.say(&pluginpb.MayCreateResponse{Yes: true})
	w.startWith(s)
	w.create("a")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	s.say(&pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{Reason: "preempted"}, RetryAfterSeconds: 3600})
	w.c.HintsChanged("default", "a")
	w.eventually("the next attempt", func() bool { return w.status("a").AttemptStatus.ID == 1 })
	w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
	f := w.status("a")
	if !reflect.DeepEqual(f.RetryPolicyStatus, v1.RetryPolicyStatus{TotalRetriedCount: 1}) {
		t.Errorf("the counters are %+v", f.RetryPolicyStatus)
	}
	ended := false
	for _, o := range w.History(apitest.Frameworks, "a") {
		if c := statusOf(o).AttemptStatus.CompletionStatus; c != nil && c.Code == completion.CodeEvictedByScheduler && c.Diagnostics == "preempted" {
			ended = true
		}
	}
	if !ended {
		t.Error("no status tells of the eviction")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.admitted[len(s.admitted)-1]; last || !s.admitted[1] {
		t.Errorf("it was asked about attempts that are admitted: %v", s.admitted)
	}
}

// The scheduler is asked once more about changes made during a question.
func TestChangeWhileTheSchedulerIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := slowQueue{newQueueing(), make(chan struct{}), make(chan struct{})}
	w.startWith(s)
	w.create("a")
	<-s.asked
	s.say(&pluginpb.MayCreateResponse{Yes: true})
	w.c.HintsChanged("default", "a")
	w.c.HintsChanged("default", "a")
	close(s.goOn)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
}

// slowQueue answers its first question by its state at the time of the question.
type slowQueue struct {
	queueing
	asked, goOn chan struct{}
}

func (s slowQueue) MayCreate(ctx context.Context, name string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	answer, source, err := s.queueing.MayCreate(ctx, name, q)
	if !answer.GetYes() {
		close(s.asked)
		<-s.goOn
	}
	return answer, source, err
}
