package retry

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Retries are granted on three levels: to a Task, to its role, and to the Framework. When one has used up its retries, the next
// one decides. The status records this in verdicts if any of them has more than numbers of retries, which is all that the
// original has.

// VerdictsOnTask returns the remaining retries of each level when the Task ends the attempt of the Framework, as of now: they are
// written once. There are none if the Task has not failed. If the attempt ends although the Task might be retried, there is only
// the Framework's: a plugin has given up the attempt, or the policy of the Task was a different one when it failed.
func VerdictsOnTask(name string, role *v1.TaskRoleSpec, task, framework Case) []v1.RetryVerdict {
	if !task.failed() || !hasMore(framework.Policy, *role) {
		return nil
	}
	whole := framework.verdict(v1.RetryOfFramework, "", framework.row())
	row := task.row()
	if row.Retry || row.EndsAttempt {
		return []v1.RetryVerdict{whole}
	}
	verdicts := append(make([]v1.RetryVerdict, 0, 3), task.verdict(v1.RetryOfTask, name, row))
	if p := role.RetryPolicy; p != nil && row.UsedUp {
		most := p.MaxRetryCount
		verdicts = append(verdicts, v1.RetryVerdict{Of: v1.RetryOfTaskRole, Name: role.Name, MaxRetryCount: &most})
	}
	return append(verdicts, whole)
}

// VerdictsWithoutTask returns the remaining retries when no Task has ended the attempt, as when a gang found no place: no Task
// and no role has used up a retry, and the Framework decides alone. There are none if the user or the scheduler ended the
// attempt, because neither asks for a retry.
func VerdictsWithoutTask(roles []v1.TaskRoleSpec, framework Case) []v1.RetryVerdict {
	if !framework.failed() || framework.byController() || framework.interrupted() || !hasMore(framework.Policy, roles...) {
		return nil
	}
	return []v1.RetryVerdict{framework.verdict(v1.RetryOfFramework, "", framework.row())}
}

// hasMore reports whether one of the roles, or the Framework, uses a retry feature that the original lacks.
func hasMore(framework v1.RetryPolicySpec, roles ...v1.TaskRoleSpec) bool {
	return hasCauses(&framework) || slices.ContainsFunc(roles, func(role v1.TaskRoleSpec) bool {
		return role.RetryPolicy != nil || hasCauses(&role.Task.RetryPolicy)
	})
}

func hasCauses(p *v1.RetryPolicySpec) bool {
	return p.Window != nil || len(p.Budgets) > 0 || p.Restart != ""
}

// verdict states whether a row grants a retry, and otherwise the limit that denies it.
func (c Case) verdict(of v1.RetryOwner, name string, row *Row) v1.RetryVerdict {
	v := v1.RetryVerdict{Of: of, Name: name, RetryLeft: row.Retry, Row: string(row.ID)}
	switch {
	case row.Retry, row.ID == Permanent, row.ID == EndedByController:
		return v
	case row.ID == WindowFull:
		window := *c.Policy.Window
		v.Window = &window
		return v
	}
	most := c.Policy.MaxRetryCount
	if row.ID == BudgetUsedUp {
		b := c.budget()
		v.Budget, most = BudgetCause(b), b.MaxRetryCount
	}
	v.MaxRetryCount = &most
	return v
}

// Sentence renders the verdicts for people, without a period; empty if there are none.
func Sentence(verdicts []v1.RetryVerdict) string {
	var steps []string
	for i := range verdicts {
		steps = append(steps, nameOf(&verdicts[i])+": "+limit(&verdicts[i]))
	}
	return strings.Join(steps, "; ")
}

func nameOf(v *v1.RetryVerdict) string {
	switch v.Of {
	case v1.RetryOfTask:
		return "Task " + v.Name
	case v1.RetryOfTaskRole:
		return "role " + v.Name
	}
	return string(v.Of)
}

// limit names the limit that denies a retry.
func limit(v *v1.RetryVerdict) string {
	switch {
	case v.RetryLeft:
		return "has a retry left"
	case v.Budget != "" && v.MaxRetryCount != nil:
		return fmt.Sprintf("no retry is left by maxRetryCount %d of the budget for %s", *v.MaxRetryCount, v.Budget)
	case v.MaxRetryCount != nil:
		return fmt.Sprintf("no retry is left by maxRetryCount %d", *v.MaxRetryCount)
	case v.Window != nil:
		return fmt.Sprintf("no retry is left by window, %d failures within %d s", v.Window.Failures, v.Window.WithinSec)
	case RowID(v.Row) == Permanent:
		return "a Permanent failure is not retried"
	}
	return "no retry is left"
}

// RoleSentence reports that the role of a Task restarts by its own policy, and why the Task does not pay for it; empty if the
// role does not restart. The role has restarted roleRetried times before.
func RoleSentence(role *v1.TaskRoleSpec, roleRetried int32, task Case) string {
	if !task.row().Role {
		return ""
	}
	of := ""
	if most := role.RetryPolicy.MaxRetryCount; most != v1.RetryOnFailure {
		of = fmt.Sprintf(" of %d", most)
	}
	own := task.verdict(v1.RetryOfTask, "", task.ownRow())
	return fmt.Sprintf("The Task: %s; so this is retry %d%s of role %s", limit(&own), int64(roleRetried)+1, of, role.Name)
}
