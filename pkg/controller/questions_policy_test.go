package controller

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-taskcount/thresholds"
)

// Tasks keep failing, and each answer of the default configuration's policy arrives when one more has failed since the question.
// The attempt ends by the first answer, as it does without any policy.
func TestAnswersOfThePolicyAreAlwaysLate(t *testing.T) {
	t.Parallel()
	const most = 12
	w := newWorld(t)
	asked, answer := make(chan struct{}, 2*most), make(chan struct{}, 2*most)
	w.startWith(onePolicy{decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		asked <- struct{}{}
		<-answer
		decision, err := thresholds.New().CompletionPolicy.Decide(context.Background(), q)
		if decision == nil {
			decision = &pluginpb.DecideResponse{}
		}
		decision.Digest = q.GetDigest()
		return decision, err
	}})
	defer close(answer)
	w.create("a", tasks(most))
	for i := range most {
		w.taskReaches("a", "w", i, v1.AttemptPreparing)
	}
	end := func() *v1.FrameworkAttemptCompletionStatus { return w.status("a").AttemptStatus.CompletionStatus }
	fail := func(i int) {
		w.EndPod(v1.PodName("a", "w", int32(i)), 1)
		w.taskReaches("a", "w", i, v1.Completed)
	}
	fail(0)
	failed := 1
	for ; end() == nil && failed < most; failed++ {
		w.eventually("the policy is asked, or the attempt is decided", func() bool { return len(asked) > 0 || end() != nil })
		if end() == nil {
			<-asked
			fail(failed)
			answer <- struct{}{}
			w.eventually("the answer is taken", func() bool { return len(asked) > 0 || end() != nil })
		}
	}
	if s := end(); s == nil || s.Trigger.TaskIndex != 0 || failed > 2 {
		t.Errorf("after %d failures the attempt ends with %+v", failed, s)
	}
}

func continues(q *pluginpb.DecideRequest) *pluginpb.DecideResponse {
	return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_CONTINUE, Digest: q.GetDigest()}
}

// A policy that ends the attempt with its chief leaves one question unanswered, for example during its restart.
func TestPolicyMissesOneQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked atomic.Int64
	w.startWith(onePolicy{failurePolicy: pluginhost.Fallback, decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		if asked.Add(1) == 1 {
			return nil, errors.New("no answer within 5s")
		}
		return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_SUCCEEDED, Digest: q.GetDigest()}, nil
	}})
	w.create("a", roles(role("chief", 1), role("server", 1)))
	for _, r := range []string{"chief", "server"} {
		w.taskReaches("a", r, 0, v1.AttemptPreparing)
		w.RunPod(v1.PodName("a", r, 0))
	}
	w.EndPod("a-chief-0", 0)
	w.reaches("a", v1.Completed)
}

// removable is a host whose plugin can be removed from the configuration.
type removable struct {
	consult.Host
	gone *atomic.Bool
}

func newRemovable(h consult.Host) removable { return removable{h, &atomic.Bool{}} }

func (r removable) Plugins(kind plugin.Kind) []string {
	if r.gone.Load() {
		return nil
	}
	return r.Host.Plugins(kind)
}

func (r removable) Config(name string) (pluginhost.Config, bool) {
	if r.gone.Load() {
		return pluginhost.Config{}, false
	}
	return r.Host.Config(name)
}

// continuing is a policy that keeps the attempt running, and counts how often it is asked.
func continuing(asked *atomic.Int64) onePolicy {
	return onePolicy{decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		asked.Add(1)
		return continues(q), nil
	}}
}

func TestPolicyIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked atomic.Int64
	policy := newRemovable(continuing(&asked))
	w.startWith(policy)
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.taskReaches("a", "w", 0, v1.Completed)
	w.eventually("the policy was asked", func() bool { return asked.Load() == 1 })
	w.never("the end of the attempt", func() bool { return w.state("a") == v1.Completed })
	policy.gone.Store(true)
	w.c.PoliciesChanged()
	w.reaches("a", v1.Completed)
}

// A policy that the Framework has chosen is removed from the configuration. An attempt that the policy might keep running is not
// ended by another rule, until the Framework drops the policy, or is stopped.
func TestChosenPolicyIsRemoved(t *testing.T) {
	t.Parallel()
	ways := map[string]func(spec map[string]any){
		"disabled": func(spec map[string]any) { spec["plugins"] = []any{map[string]any{"name": "policy", "disabled": true}} },
		"stopped":  func(spec map[string]any) { spec["executionType"] = string(v1.ExecutionStop) },
	}
	for way, edit := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			policy := newRemovable(continuing(new(atomic.Int64)))
			w.startWith(policy)
			w.running("a", tasks(2), choosing(`{}`))
			w.taskReaches("a", "w", 1, v1.AttemptPreparing)
			policy.gone.Store(true)
			w.c.PoliciesChanged()
			w.EndPod("a-w-0", 1) // the thresholds would end the attempt now
			w.conditionBecomes("a", v1.ConditionWaiting, "True because PluginUnavailable")
			if s := w.state("a"); s != v1.AttemptRunning {
				t.Errorf("the Framework is %s", s)
			}
			w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
				edit(o.Object["spec"].(map[string]any))
				o.SetGeneration(o.GetGeneration() + 1)
			})
			w.reaches("a", v1.Completed)
		})
	}
}

// It is also gone from the configuration while its decision stands.
func TestChosenPolicyIsRemovedAfterItsDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked atomic.Int64
	policy := newRemovable(continuing(&asked))
	w.startWith(policy)
	w.running("a", tasks(2), choosing(`{}`))
	w.EndPod("a-w-0", 1)
	w.eventually("the policy was asked", func() bool { return asked.Load() == 1 })
	policy.gone.Store(true)
	w.c.PoliciesChanged()
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PluginUnavailable")
	if s := w.state("a"); s != v1.AttemptRunning {
		t.Errorf("the Framework is %s", s)
	}
	policy.gone.Store(false)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
	w.EndPod("a-w-1", 0)
	w.eventually("the policy is asked again", func() bool { return asked.Load() > 2 })
}

// The source of the attempt's hints is no completion policy: the attempt ends without it.
func TestChosenHintsAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	host := newRemovable(adviser{plugin.KindSchedulerHints})
	w.startWith(host)
	w.running("a", func(s *v1.FrameworkSpec) { s.Plugins = []v1.PluginUse{{Name: adviserName}} })
	host.gone.Store(true)
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
}

// A policy keeps the attempt running although a Task has failed. A restart of the policy, during which it does not answer, is no
// reason to end the attempt.
func TestPolicyFallsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var silent, ends atomic.Bool
	var answered, inVain atomic.Int64
	w.startWith(onePolicy{failurePolicy: pluginhost.Fallback, decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		switch {
		case silent.Load():
			inVain.Add(1)
			return nil, errors.New("no answer within 5s")
		case ends.Load():
			return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_SUCCEEDED, Digest: q.GetDigest()}, nil
		}
		answered.Add(1)
		return continues(q), nil
	}})
	w.running("a")
	w.EndPod("a-w-0", 9)
	w.eventually("the policy was asked", func() bool { return answered.Load() == 1 })
	silent.Store(true)
	w.c.PoliciesChanged()
	w.eventually("it is asked again and again", func() bool { return inVain.Load() > 1 })
	if s := w.state("a"); s != v1.AttemptRunning {
		t.Errorf("the Framework is %s", s)
	}
	ends.Store(true)
	silent.Store(false)
	w.reaches("a", v1.Completed)
}

// Tasks complete one after the other while the policy thinks. It is not asked again meanwhile.
func TestOneDecisionAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var under, most, last atomic.Int64
	w.startWith(onePolicy{decide: func(q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
		most.Store(max(most.Load(), under.Add(1)))
		time.Sleep(time.Second)
		under.Add(-1)
		last.Store(int64(len(q.GetRoles()[0].GetCompleted())))
		return continues(q), nil
	}})
	const ended = 8
	w.create("a", tasks(ended+1))
	for i := range ended + 1 {
		w.taskReaches("a", "w", i, v1.AttemptPreparing)
	}
	for i := range ended {
		w.EndPod(v1.PodName("a", "w", int32(i)), 0)
		w.taskReaches("a", "w", i, v1.Completed)
	}
	w.eventually("the policy is asked about all", func() bool { return last.Load() == ended })
	if most.Load() > 1 {
		t.Errorf("%d questions of one Framework at a time", most.Load())
	}
}
