package controller

import (
	"context"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-taskcount/thresholds"
)

// Tasks keep failing, and each answer of the policy of the default configuration comes when one more has failed since it
// was asked. The attempt ends by the first, as it does without any policy.
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
