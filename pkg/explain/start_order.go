package explain

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// startOrders says of the roles that have Pods and may not start yet what they start after. Of those without Pods the
// condition Waiting tells.
func (t *telling) startOrders() {
	for i := range t.Framework.Spec.TaskRoles {
		if role := &t.Framework.Spec.TaskRoles[i]; t.live() && t.status.Gates != nil && !t.status.Gates.HeldBack(role) {
			t.startOrder("Role "+role.Name, role)
		}
	}
}

// startOrder says why a role, whom the sentence calls so, may not start yet.
func (t *telling) startOrder(who string, role *v1.TaskRoleSpec) {
	gates := t.status.Gates
	switch {
	case !t.live() || !gates.Closed(role):
	case gates == nil:
		t.say("%s starts after others, but its controller tells nobody when: it is older than startAfter.", who)
		t.advise(controllerIs)
	case gates.HeldBack(role):
		t.say("%s has no Pods yet; they are created when %s.", who, t.awaitedForPods(role))
	default:
		t.say("%s has not started: the barriers in its Pods wait until %s.", who, t.awaited(role))
	}
}

func (t *telling) live() bool {
	return t.status.State == v1.AttemptPreparing || t.status.State == v1.AttemptRunning
}

// awaited says what a role starts after, and how far that is.
func (t *telling) awaited(role *v1.TaskRoleSpec) string {
	var what []string
	for _, s := range role.StartAfter {
		what = append(what, t.howFar(s))
	}
	return strings.Join(what, " and ")
}

// awaitedForPods says what the Pods of a role come after: the success of others, or their Pods.
func (t *telling) awaitedForPods(role *v1.TaskRoleSpec) string {
	var what []string
	for _, s := range role.StartAfter {
		other := t.roleSpec(s.Role)
		switch {
		case s.Needs() == v1.StartSucceeded:
			what = append(what, t.howFar(s))
		case other != nil && t.status.Gates.HeldBack(other):
			what = append(what, fmt.Sprintf("role %s gets its own", s.Role))
		}
	}
	return strings.Join(what, " and ")
}

// howFar says how many Tasks of the other role have come as far as it takes.
func (t *telling) howFar(s v1.StartAfterSpec) string {
	reached, of := 0, 0
	if other, status := t.roleSpec(s.Role), t.roleStatus(s.Role); other != nil && status != nil {
		of = int(other.TaskNumber)
		reached = min(lifecycle.Reached(status, s.Needs()), of)
	}
	return fmt.Sprintf("role %s %s (%d of %s)", s.Role, startWord(s.Needs()), reached, tasksNumber(of))
}

// startWord is what is said of what Tasks have to have reached.
func startWord(when v1.StartWhen) string {
	switch when {
	case v1.StartAddressed:
		return "has addresses"
	case v1.StartReady:
		return "is ready"
	case v1.StartSucceeded:
		return "has succeeded"
	}
	return "runs"
}
