package lifecycle_test

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawDisrupted: an attempt whose Pod reports a disruption by Kubernetes is not counted as a failure of unknown cause.
func (c *checker) lawDisrupted(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		return
	}
	for ref, view := range in.Observed.Pods {
		was, is := in.Saved.Task(ref), out.State.Task(ref)
		if view.Pod == nil || view.Disruption == nil || view.Disruption.PodUID != view.Pod.UID || was == nil || is == nil {
			continue
		}
		recorded := was.AttemptStatus.PodUID
		if recorded == nil || *recorded != view.Pod.UID || was.AttemptStatus.CompletionStatus != nil {
			continue
		}
		if s := is.AttemptStatus.CompletionStatus; s != nil && s.Code == -300 {
			c.violationf("disrupted: not without a reason", "%s: %s", ref, text(s))
		}
	}
}

// lawUnstarted: after two or more consecutive attempts whose Pods were refused by a node, the retry waits for 1 s; after as many as
// a status keeps, for a minute.
func (c *checker) lawUnstarted(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		if move.Row != "T12" || move.Retry == "R0a" || move.Retry == "R0b" {
			continue
		}
		task := in.Saved.Task(*move.Task)
		ended := task.AttemptStatus.CompletionStatus
		if ended == nil || ended.Pod == nil || len(ended.Pod.Containers) > 0 || ended.Type.Name != v1.CompletionFailed || task.AttemptStatus.RunTime != nil || task.DeletionPending {
			continue
		}
		waited := in.Now.Truncate(time.Second).Sub(task.TransitionTime.Time)
		if least := naiveUnstartedPause(task.EarlierAttempts); least > 0 && waited < least { // a clock may be put back
			c.violationf("unstarted: the next Pod waits", "%s: %v of %v: %s", move.Task, waited, least, text(task))
		}
	}
}

func naiveUnstartedPause(earlier []v1.EarlierTaskAttempt) time.Duration {
	pause := time.Duration(0)
	for i := len(earlier) - 1; i >= 0 && !naivelyMayHaveRun(&earlier[i]); i-- {
		if earlier[i].Code != -240 { // it ended because of other Tasks, which shows nothing about its own Pod
			pause = min(max(time.Second, 2*pause), time.Minute)
		}
	}
	return pause
}

// naivelyMayHaveRun: it was seen to run, or it ended as only a container can end it, or others deleted its Pod.
func naivelyMayHaveRun(a *v1.EarlierTaskAttempt) bool {
	return a.RunTime != nil || a.Type.Name != v1.CompletionFailed || slices.Contains([]int32{200, 201, 210, -101}, a.Code) ||
		a.Phrase == "ContainerUnrecognizedFailed" && a.Code != 137
}
