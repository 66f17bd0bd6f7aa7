package lifecycle_test

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// naiveRole counts a role's Tasks as contract 3.2 tells it, without any counts kept.
type naiveRole struct {
	failed, succeeded int
}

func countRole(state *lifecycle.State, name string) naiveRole {
	var counts naiveRole
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		switch {
		case ref.Role != name || task.DeletionPending || task.State != v1.Completed:
		case task.AttemptStatus.CompletionStatus.Type.Name == v1.CompletionSucceeded:
			counts.succeeded++
		default:
			counts.failed++
		}
	})
	return counts
}

func (c naiveRole) meets(policy v1.CompletionPolicySpec) bool {
	return policy.MinFailedTaskCount >= 1 && c.failed >= int(policy.MinFailedTaskCount) ||
		policy.MinSucceededTaskCount >= 1 && c.succeeded >= int(policy.MinSucceededTaskCount)
}

// naiveDecided reports whether the completion policy completes the attempt, by a threshold or because all is
// done.
func naiveDecided(spec *v1.FrameworkSpec, state *lifecycle.State) (threshold, all bool) {
	wanted, completed := 0, 0
	for _, role := range spec.TaskRoles {
		counts := countRole(state, role.Name)
		threshold = threshold || counts.meets(role.FrameworkAttemptCompletionPolicy)
		wanted += int(role.TaskNumber)
		completed += counts.failed + counts.succeeded
	}
	return threshold, wanted >= 1 && completed >= wanted
}

// lawPolicy: an attempt is decided by its policy if and only if a naive count says so (S1), and as its trigger
// was.
func (c *checker) lawPolicy(in lifecycle.Input, out lifecycle.Output) {
	status := out.State.Framework()
	outcome := status.AttemptStatus.CompletionStatus
	threshold, all := naiveDecided(in.Framework.Spec, out.State)
	live := status.State == v1.AttemptPreparing || status.State == v1.AttemptRunning
	waits := in.Asking.Completion // for what plugins say
	if live && !waits && (threshold || all) && len(in.Observed.ConfigMap.Gone) == 0 && showsConfigMap(in.Observed, status) {
		c.violationf("S1: policy", "it is met, but the attempt goes on: %s", text(out.State.Status()))
	}
	decidedNow := in.Saved != nil && in.Saved.Framework().AttemptStatus.CompletionStatus == nil && outcome != nil
	if !decidedNow || outcome.Trigger == nil {
		return
	}
	ref := lifecycle.TaskRef{Role: outcome.Trigger.TaskRoleName, Index: outcome.Trigger.TaskIndex}
	trigger := out.State.Task(ref)
	if trigger == nil || trigger.DeletionPending || trigger.State != v1.Completed || !threshold && !all && !givesUp(trigger) {
		c.violationf("S1: policy", "it is not met, or %s cannot be the trigger: %s", ref, text(out.State.Status()))
		return
	}
	inherited := trigger.AttemptStatus.CompletionStatus.Code == outcome.Code
	if !inherited && (outcome.Code != 0 || !all) {
		c.violationf("S1: policy", "code %d is not that of %s", outcome.Code, ref)
	}
}

// givesUp reports whether the plugin that has judged a failure gives up the attempt of the Framework.
func givesUp(t *v1.TaskStatus) bool {
	return t.AttemptStatus.CompletionStatus.Advice != nil && t.AttemptStatus.CompletionStatus.Advice.GiveUpAttempt
}

// showsConfigMap reports whether the recorded ConfigMap is seen. Where it is not, be it that a cache that lags shows an
// earlier one, nothing is decided before the API server has been asked for it.
func showsConfigMap(o lifecycle.Observed, status *v1.FrameworkStatus) bool {
	seen, recorded := o.ConfigMap.ConfigMap, status.AttemptStatus.ConfigMapUID
	return seen != nil && recorded != nil && seen.UID == *recorded
}

// lawScale: the Tasks that are not flagged are those of the spec, while rescale is followed (contract 5.2), but for those
// that there is no room for, or that a stop leaves out.
func (c *checker) lawScale(in lifecycle.Input, state *lifecycle.State) {
	switch state.Framework().State {
	case v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning:
	default:
		return
	}
	wanted := map[string]int32{}
	complete := in.Framework.Spec.ExecutionType != v1.ExecutionStop && taskNumber(state) < mostTasks(in.Config)
	for _, role := range in.Framework.Spec.TaskRoles {
		wanted[role.Name] = role.TaskNumber
		if complete && role.TaskNumber > 0 && !awaitsItems(&role, state) && state.Task(lifecycle.TaskRef{Role: role.Name, Index: role.TaskNumber - 1}) == nil {
			c.violationf("rescale", "Tasks of role %s are missing", role.Name)
		}
	}
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if ref.Index >= wanted[ref.Role] && !task.DeletionPending {
			c.violationf("rescale", "%s is not flagged", ref)
		}
	})
}

// lawRoom: there are never more Tasks than may be, or than there were; and a stop adds none.
func (c *checker) lawRoom(in lifecycle.Input, out lifecycle.Output) {
	before, after := taskNumber(in.Saved), taskNumber(out.State)
	if after > max(before, mostTasks(in.Config)) {
		c.violationf("no more Tasks than there is room for", "%d after %d", after, before)
	}
	anew := slices.ContainsFunc(out.Moves, func(m lifecycle.Move) bool { return m.Row == "F1" || m.Row == "F16" })
	if in.Framework.Spec.ExecutionType == v1.ExecutionStop && !anew && after > before {
		c.violationf("a stop adds no Task", "%d after %d", after, before)
	}
}

func taskNumber(state *lifecycle.State) (n int) {
	eachTask(state, func(lifecycle.TaskRef, *v1.TaskStatus) { n++ })
	return n
}

func mostTasks(c lifecycle.Config) int {
	if c.MaxTasks > 0 {
		return c.MaxTasks
	}
	return v1.MaxTasks
}
