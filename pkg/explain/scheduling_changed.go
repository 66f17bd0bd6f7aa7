package explain

import "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"

// schedulingChange says that an edit of spec.scheduling or spec.plugins came too late for the attempt, and how to begin the next.
func (t *telling) schedulingChange() {
	if !t.schedulingChangedLate() {
		return
	}
	t.say("A change of spec.scheduling or spec.plugins takes effect with the next attempt: this one has Pods already, and keeps the settings that it began with.")
	t.advise(Step{Command: `kubectl patch fw {framework} -n {namespace} --type=merge -p '{"spec":{"suspend":true}}'`, Why: "ends this attempt, without a retry"}, resume)
}

// schedulingChangedLate reports whether the spec asks for another scheduling than that of the attempt, which goes on and has
// Pods. An attempt without Pods asks anew.
func (t *telling) schedulingChangedLate() bool {
	if t.status.AttemptStatus.CompletionStatus != nil || !lifecycle.SchedulingChanged(&t.Framework.Spec, t.status.AttemptStatus.SchedulerHints) {
		return false
	}
	for _, role := range t.status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			if role.TaskStatuses[i].AttemptStatus.PodUID != nil {
				return true
			}
		}
	}
	return false
}
