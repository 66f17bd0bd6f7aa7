package kubectl

import (
	"fmt"
	"iter"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// ends describes which parts of the Framework end because of a change of the scale or the completion policy; empty if none does.
func (c *change) ends() string {
	spec := c.rescaledSpec()
	if why := c.endsAttempt(spec); why != "" {
		text := "its attempt"
		if running := c.of.thatRun(c.of.runningTasks(allTasks)); running != "" {
			text += " and " + running
		}
		return text + ", because " + why
	}
	removed := map[string]int32{}
	for _, role := range spec {
		removed[role.Name] = role.TaskNumber
	}
	return c.of.thatRun(c.of.runningTasks(func(role string, t *v1.TaskStatus) bool {
		n, ok := removed[role]
		return ok && t.Index >= n
	}))
}

// rescaledSpec returns the roles with the change applied.
func (c *change) rescaledSpec() []v1.TaskRoleSpec {
	roles := make([]v1.TaskRoleSpec, len(c.of.Spec.TaskRoles))
	for i := range roles {
		roles[i] = c.of.Spec.TaskRoles[i]
		policy := &roles[i].FrameworkAttemptCompletionPolicy
		for field, number := range map[string]*int32{
			"taskNumber": &roles[i].TaskNumber, policyField + minFailed: &policy.MinFailedTaskCount, policyField + minSucceeded: &policy.MinSucceededTaskCount,
		} {
			if n, ok := c.value(i, field); ok {
				*number, _ = n.(int32)
			}
		}
	}
	spec := v1.FrameworkSpec{TaskRoles: roles}
	return spec.WithItems(c.of.Status).TaskRoles
}

// endsAttempt explains why the attempt would end with these roles but not with the current ones; empty if it would not. It
// uses the controller's own rules. If a completion policy plugin decides, the attempt may go on nevertheless.
func (c *change) endsAttempt(roles []v1.TaskRoleSpec) string {
	if !c.of.isLive() {
		return ""
	}
	if _, already := taskcount.Decide(attempt{c.of.Spec.WithItems(c.of.Status).TaskRoles, c.of.Status}); already {
		return ""
	}
	after := attempt{roles, c.of.Status}
	outcome, ends := taskcount.Decide(after)
	role := after.Role(outcome.Role)
	switch {
	case !ends:
		return ""
	case outcome.Rule == taskcount.MinFailed:
		return fmt.Sprintf("%s of role %s %s already failed", plural(role.Failed, "Task"), roles[outcome.Role].Name, have(role.Failed))
	case outcome.Rule == taskcount.MinSucceeded:
		return fmt.Sprintf("%s of role %s %s already succeeded", plural(role.Succeeded, "Task"), roles[outcome.Role].Name, have(role.Succeeded))
	}
	return "all remaining Tasks have already completed"
}

func have(tasks int) string {
	if tasks == 1 {
		return "has"
	}
	return "have"
}

// isLive reports whether Tasks can still decide how the attempt ends.
func (s *stored) isLive() bool {
	return s.Status != nil && (s.Status.State == v1.AttemptPreparing || s.Status.State == v1.AttemptRunning) && s.Spec.ExecutionType != v1.ExecutionStop
}

// attempt is a stored attempt evaluated by the completion policy of these roles. Removed Tasks do not count: the controller
// marks them before it counts.
type attempt struct {
	roles  []v1.TaskRoleSpec
	status *v1.FrameworkStatus
}

func (a attempt) RoleNumber() int { return len(a.roles) }

func (a attempt) Role(i int) taskcount.Role {
	if i >= len(a.roles) {
		return taskcount.Role{}
	}
	spec := &a.roles[i]
	role := taskcount.Role{
		Wanted:    int(spec.TaskNumber),
		MinFailed: spec.FrameworkAttemptCompletionPolicy.MinFailedTaskCount, MinSucceeded: spec.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount,
	}
	for t := range a.Completed(i) {
		if t.Succeeded {
			role.Succeeded++
		} else {
			role.Failed++
		}
	}
	return role
}

func (a attempt) Completed(i int) iter.Seq[taskcount.Task] {
	return func(yield func(taskcount.Task) bool) {
		for _, role := range a.status.AttemptStatus.TaskRoleStatuses {
			if role.Name != a.roles[i].Name {
				continue
			}
			for j := range role.TaskStatuses {
				if t := &role.TaskStatuses[j]; t.Index < a.roles[i].TaskNumber && t.State == v1.Completed && !t.DeletionPending && !yield(completedTask(t)) {
					return
				}
			}
		}
	}
}

func completedTask(t *v1.TaskStatus) taskcount.Task {
	task := taskcount.Task{Index: t.Index, Succeeded: explain.StandingOf(t) == explain.Succeeded}
	if t.CompletionTime != nil {
		task.CompletionTime = t.CompletionTime.Time
	}
	return task
}
