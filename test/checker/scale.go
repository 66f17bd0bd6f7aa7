package checker

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// scale holds S1, "After a single update that changes scale and policy, no completion decision uses a removed Task
// and every added Task counts": whenever an attempt is decided, the trigger is a Task that the spec asks for, and
// the policy of that spec is met by Tasks that it asks for. It looks at decisions of the built-in policy only.
type scale struct{}

func (scale) see(t *replay, c change) {
	if c.framework == nil || c.framework.after == nil || c.framework.before == nil ||
		c.framework.after.Status == nil || c.framework.before.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	decision := after.attempt().CompletionStatus
	decidedNow := decision != nil && (before.attempt().ID != after.attempt().ID || !before.completing())
	if !decidedNow || decision.Trigger == nil || len(after.Spec.Plugins) > 0 || ended(after.Status.State) {
		return
	}
	at := place{decision.Trigger.TaskRoleName, decision.Trigger.TaskIndex}
	if after.decidedByPlugin(at) {
		return
	}
	t.hold(Scale, c.subject(), after.counts(at), "its attempt was ended by Task %s, which the spec does not ask for any more", at)
	t.hold(Scale, c.subject(), after.policyMet(at.role),
		"its attempt was ended with %d by Task %s, which the policy of the spec does not call for", decision.Code, at)
}

// decidedByPlugin reports whether the outcome of the attempt names a plugin that the outcome of its trigger does not: the
// controller's configuration may give Frameworks a completion policy that their specs do not name.
func (f *framework) decidedByPlugin(trigger place) bool {
	task, source := f.tasks[trigger], f.attempt().CompletionStatus.Source
	if source == nil || task == nil || task.AttemptStatus.CompletionStatus == nil {
		return false
	}
	return asText(source) != asText(task.AttemptStatus.CompletionStatus.Source)
}

// counts reports whether a Task takes part in decisions.
func (f *framework) counts(p place) bool {
	task := f.tasks[p]
	return task != nil && !task.DeletionPending && f.wanted(p)
}

func (f *framework) policyMet(role string) bool {
	spec := f.role(role)
	if spec == nil {
		return false
	}
	failed, succeeded := f.completed(spec)
	policy := spec.FrameworkAttemptCompletionPolicy
	met := func(count int, threshold int32) bool { return threshold >= 1 && count >= int(threshold) }
	return met(failed, policy.MinFailedTaskCount) || met(succeeded, policy.MinSucceededTaskCount) || f.allCompleted()
}

// completed counts the Tasks of a role that have completed for good.
func (f *framework) completed(role *v1.TaskRoleSpec) (failed, succeeded int) {
	for i := range role.TaskNumber {
		p := place{role.Name, i}
		if !f.counts(p) || f.tasks[p].State != v1.Completed {
			continue
		}
		if f.tasks[p].AttemptStatus.CompletionStatus.Type.Name == v1.CompletionFailed {
			failed++
		} else {
			succeeded++
		}
	}
	return failed, succeeded
}

func (f *framework) allCompleted() bool {
	total, completed := 0, 0
	for i := range f.Spec.TaskRoles {
		failed, succeeded := f.completed(&f.Spec.TaskRoles[i])
		total, completed = total+int(f.Spec.TaskRoles[i].TaskNumber), completed+failed+succeeded
	}
	return total > 0 && completed >= total
}
