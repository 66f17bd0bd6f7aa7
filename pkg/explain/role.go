package explain

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Role says what the Tasks of one role are doing, which the status or the spec has to have.
func Role(f Facts, role string) Answer {
	t := newTelling(f)
	if t.leftAlone() {
		return t.answer
	}
	status, spec := t.roleStatus(role), t.roleSpec(role)
	if status == nil {
		t.say("Role %s of Framework %s has no Tasks yet.", role, f.Framework.Name)
		t.roleWaits(role)
		return t.answer
	}
	t.say("Role %s of Framework %s has %s, in attempt %d.", role, f.Framework.Name, tasksNumber(len(status.TaskStatuses)), t.status.AttemptStatus.ID)
	if len(status.TaskStatuses) > 0 {
		t.say("%s", tasksOf(status.TaskStatuses, "role "+role))
	}
	if spec == nil {
		t.say("The role was taken out of the spec, so its Tasks are being removed.")
	} else {
		t.sayPolicy(spec)
		t.startOrder("It", spec)
	}
	t.roleWaits(role)
	t.firstTroubled(status)
	t.avoidedNodes(role)
	t.advise(Step{Command: "kubectl framework tasks {framework} " + role + " -n {namespace}", Why: "shows each Task and its code"})
	return t.answer
}

func tasksNumber(n int) string {
	if n == 1 {
		return "1 Task"
	}
	return fmt.Sprintf("%d Tasks", n)
}

func (t *telling) roleStatus(name string) *v1.TaskRoleStatus {
	roles := t.status.AttemptStatus.TaskRoleStatuses
	for i := range roles {
		if roles[i].Name == name {
			return &roles[i]
		}
	}
	return nil
}

func (t *telling) roleSpec(name string) *v1.TaskRoleSpec {
	roles := t.Framework.Spec.TaskRoles
	for i := range roles {
		if roles[i].Name == name {
			return &roles[i]
		}
	}
	return nil
}

// sayPolicy says when the Tasks of a role end the attempt.
func (t *telling) sayPolicy(spec *v1.TaskRoleSpec) {
	policy := &spec.FrameworkAttemptCompletionPolicy
	var rules []string
	if n := policy.MinFailedTaskCount; n > 0 {
		rules = append(rules, fmt.Sprintf("fails when %s failed for good", several(n, "")))
	}
	if n := policy.MinSucceededTaskCount; n > 0 {
		rules = append(rules, fmt.Sprintf("succeeds when %s succeeded", several(n, "")))
	}
	if len(rules) == 0 {
		t.say("No Task of the role ends the attempt by itself; the attempt succeeds when all Tasks of all roles have completed.")
		return
	}
	t.say("The attempt %s.", strings.Join(rules, ", and "))
}

// firstTroubled says more of the first Task that has failed or is tried again.
func (t *telling) firstTroubled(role *v1.TaskRoleStatus) {
	for i := range role.TaskStatuses {
		if task := &role.TaskStatuses[i]; inTrouble(task) {
			t.sayTrouble(role.Name, task)
			return
		}
	}
}
