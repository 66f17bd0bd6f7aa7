package lifecycle_test

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawDerived: counts and gate equal a naive count over the stored Tasks and the spec, without Tasks that are held back, and a Framework runs if
// a Task does.
func (c *checker) lawDerived(in lifecycle.Input, state *lifecycle.State) {
	var counts v1.TaskCounts
	ready := map[string]int{}
	spec := taskNumbers(in.Framework.Spec)
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if task.DeletionPending {
			return
		}
		count(&counts, task)
		waits := task.RetryPolicyStatus.RetryDelaySec != nil || task.AttemptStatus.Restart != nil && task.State != v1.Completed
		if heldBack(in.Framework.Spec, state.Framework().Gates, ref.Role) {
			return
		}
		if ip := task.AttemptStatus.PodIP; ip != nil && *ip != "" && !waits && ref.Index < spec[ref.Role] {
			ready[ref.Role]++
		}
	})
	status := state.Framework()
	if *status.Tasks != counts {
		c.violationf("counts", "%s, not %s", text(status.Tasks), text(counts))
	}
	live := status.State == v1.AttemptPreparing || status.State == v1.AttemptRunning
	all := true
	for role, n := range spec {
		all = all && (heldBack(in.Framework.Spec, status.Gates, role) || ready[role] >= min(int(n), naiveTurns(in.Framework.Spec, role)))
	}
	if open := live && all; open != (status.Gate != "") || open && status.Gate != *status.AttemptStatus.InstanceUID {
		c.violationf("gate", "%q, with %v Tasks ready of each role: %s", status.Gate, ready, text(state.Status()))
	}
	c.lawWaiting(in, status)
	if status.State == v1.AttemptPreparing && counts.Running > 0 {
		c.violationf("F9: a Framework runs if a Task does", "%s", text(state.Status()))
	}
}

// lawWaiting: status.waiting is there as long as the condition Waiting is true, with the same reason. A status that an earlier version
// has stored may have the condition only.
func (c *checker) lawWaiting(in lifecycle.Input, status *v1.FrameworkStatus) {
	if in.Saved != nil && (in.Saved.Framework().Waiting != nil) != (meta.IsStatusConditionTrue(in.Saved.Framework().Conditions, v1.ConditionWaiting)) {
		return
	}
	var told string
	if cond := meta.FindStatusCondition(status.Conditions, v1.ConditionWaiting); cond != nil && cond.Status == metav1.ConditionTrue {
		told = cond.Reason
	}
	if w := status.Waiting; (w == nil) != (told == "") || w != nil && w.Reason != told {
		c.violationf("the condition Waiting and status.waiting agree", "%q, but %s", told, text(w))
	}
}

func taskNumbers(spec *v1.FrameworkSpec) map[string]int32 {
	numbers := map[string]int32{}
	for _, role := range spec.TaskRoles {
		numbers[role.Name] = role.TaskNumber
	}
	return numbers
}

func count(counts *v1.TaskCounts, task *v1.TaskStatus) {
	counts.Total++
	if task.AttemptStatus.AwaitsTurn {
		counts.Waiting++
	}
	switch {
	case task.State == v1.AttemptRunning:
		counts.Running++
	case task.State == v1.Completed && task.AttemptStatus.CompletionStatus.Type.Name == v1.CompletionSucceeded:
		counts.Succeeded++
	case task.State == v1.Completed:
		counts.Failed++
		if task.AttemptStatus.CompletionStatus.Phrase == "FrameworkAttemptCompletion" {
			counts.CutShort++
		}
	}
}

// lawCompleting: when an attempt is decided, so is every Task in it; from then on its scale is fixed.
func (c *checker) lawCompleting(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		if move.Row == "F16" {
			return
		}
	}
	decided := in.Saved != nil && in.Saved.Framework().AttemptStatus.CompletionStatus != nil
	for _, move := range out.Moves {
		decided = decided && move.Row != "F12" || move.Row == "F10"
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		external := out.State.Framework().AttemptStatus.CompletionStatus != nil && out.State.Framework().AttemptStatus.CompletionStatus.Code == -100
		if decided && !external && task.AttemptStatus.CompletionStatus == nil {
			c.violationf("F10: a decided attempt has decided Tasks", "%s", ref)
		}
		if in.Saved == nil || in.Saved.Framework().AttemptStatus.CompletionStatus == nil {
			return
		}
		if before := in.Saved.Task(ref); before == nil || before.DeletionPending != task.DeletionPending {
			c.violationf("a decided attempt is not rescaled", "%s", ref)
		}
	})
}
