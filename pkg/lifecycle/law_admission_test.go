package lifecycle_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawAdmitted: if a scheduler is asked, no Pod is created before it has admitted the attempt, or while it takes the attempt back.
func (c *checker) lawAdmitted(in lifecycle.Input, out lifecycle.Output) {
	c.asked = in.Asking.Hints
	for _, view := range in.Observed.Pods {
		if view.Refusal != nil {
			c.refused[view.Refusal.TaskUID] = true
		}
	}
	for _, action := range out.Actions {
		if a, is := action.(lifecycle.CreatePod); is && in.Asking.Hints && !c.naiveLet(in, a) {
			c.violationf("admission: before the first Pod", "%s, but the scheduler says %s of %s", a, text(in.Observed.Hints), text(out.State.Status()))
		}
	}
}

// naiveLet reports whether a Task may have a Pod by the scheduler's last answer and the stored hints. If the API server has seen
// a Pod of the Task in this attempt, the Task waits only for the end of the attempt.
func (c *checker) naiveLet(in lifecycle.Input, create lifecycle.CreatePod) bool {
	view, stored := in.Observed.Hints, in.Saved.Framework().AttemptStatus.SchedulerHints
	if view.Eviction != nil || stored == nil {
		return false
	}
	if c.refused[create.TaskUID] || c.story.HadPod(create.TaskUID) {
		return true
	}
	heard := len(view.Admission) == 0 || bytes.Equal(view.Admission, stored.Admission)
	inTurns := naiveTurns(in.Framework.Spec, create.Task.Role) < math.MaxInt // Tasks of such a role take over the places of earlier ones
	return view.Prepared == stored.Scale && heard && (inTurns || create.Task.Index < naiveAskedFor(stored.Scale, create.Task.Role))
}

// naiveAskedFor is how many Tasks of a role hints are for, by their scale.
func naiveAskedFor(scale, role string) (n int32) {
	for _, part := range strings.Split(scale, ",") {
		if name, number, _ := strings.Cut(part, "="); name == role {
			fmt.Sscanf(number, "%d", &n)
		}
	}
	return n
}

// lawStarted: a scheduler that asks to know when all Pods run is notified when all Tasks run that are not held back. This remains
// so until the scale changes.
func (c *checker) lawStarted(in lifecycle.Input, out lifecycle.Output) {
	for _, action := range out.Actions {
		var scale string
		switch a := action.(type) {
		case lifecycle.AskHints:
			scale = a.Scale
		case lifecycle.PrepareHints:
			scale = a.Scale
		default:
			continue
		}
		if text(in.Saved.Framework().Gates) != text(out.State.Framework().Gates) {
			continue // it was asked before something opened
		}
		numbers, started := strings.CutSuffix(scale, ",started")
		told := false
		if stored := in.Saved.Framework().AttemptStatus.SchedulerHints; stored != nil {
			before, was := strings.CutSuffix(stored.Scale, ",started")
			told = was && sameTasks.ReplaceAllString(before, "") == sameTasks.ReplaceAllString(numbers, "")
		}
		if want := in.Observed.Hints.FollowStart && (told || naiveStarted(in, out.State)); started != want {
			c.violationf("start: told when all run", "%s, want %t: %s", action, want, text(out.State.Status()))
		}
	}
}

// sameTasks matches the parts of a scale that change without other Tasks: how many have completed, and how much memory was added.
var sameTasks = regexp.MustCompile(`[-+]\d+`)

// naiveStarted reports whether each Task runs, or has completed, that is not held back.
func naiveStarted(in lifecycle.Input, state *lifecycle.State) bool {
	running, all := false, true
	total, run := map[string]int{}, map[string]int{}
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if task.DeletionPending || heldBack(in.Framework.Spec, state.Framework().Gates, ref.Role) {
			return
		}
		running = running || task.State == v1.AttemptRunning
		total[ref.Role]++
		if task.State == v1.AttemptRunning || task.State == v1.Completed {
			run[ref.Role]++
		}
	})
	for role, n := range total {
		all = all && run[role] >= min(n, naiveTurns(in.Framework.Spec, role))
	}
	return running && all
}

// lawTakenBack: an attempt that its scheduler takes back ends with -251, unless it ends otherwise at the same time, and nothing
// else ends with that code. The Framework goes on; this end does not count and has no delay (lawResumed, R0a).
func (c *checker) lawTakenBack(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil || !in.Asking.Hints {
		return
	}
	before, after := in.Saved.Framework(), out.State.Framework()
	live := before.State == v1.AttemptPreparing || before.State == v1.AttemptRunning
	takenBack := live && before.AttemptStatus.SchedulerHints != nil && in.Observed.Hints.Eviction != nil &&
		showsConfigMap(in.Observed, before) && in.Observed.ConfigMap.Gone != *before.AttemptStatus.ConfigMapUID
	outcome := after.AttemptStatus.CompletionStatus
	if before.AttemptStatus.ID == after.AttemptStatus.ID && takenBack && outcome == nil {
		c.violationf("eviction: the attempt ends", "%s", text(out.State.Status()))
	}
	if outcome != nil && before.AttemptStatus.CompletionStatus == nil && outcome.Phrase == "FrameworkSuspended" && !naiveSuspended(in.Framework.Spec) {
		c.violationf("eviction: it says so", "%s", text(out.State.Status()))
	}
	if outcome == nil || outcome.Phrase != "EvictedByScheduler" {
		return
	}
	if before.AttemptStatus.CompletionStatus == nil && (!takenBack || outcome.Code != -251 || naiveSuspended(in.Framework.Spec)) {
		c.violationf("eviction: only what is taken back", "%s", text(out.State.Status()))
	}
	if after.RetryPolicyStatus.RetryDelaySec != nil {
		c.violationf("eviction: without a delay", "%s", text(out.State.Status()))
	}
	for _, move := range out.Moves {
		if move.Row == "F14" {
			c.violationf("eviction: it is not the end", "%s", text(out.State.Status()))
		}
	}
}
