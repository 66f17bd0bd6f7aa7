package lifecycle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Retries are given on three steps: to a Task, to its role, and to the Framework. When those of one are used up, the next one
// decides, and the status says so where any of them asks for more than numbers of retries, as the original has them.

// roleStep says that the role of a Task starts again by its own policy; nothing if it does not.
func (t task) roleStep() string {
	c := t.retryCase()
	if !c.decide().Role {
		return ""
	}
	of := ""
	if most := t.role.spec.RetryPolicy.MaxRetryCount; most != v1.RetryOnFailure {
		of = fmt.Sprintf(" of %d", most)
	}
	return fmt.Sprintf(". The Task: %s; so this is retry %d%s of role %s", c.whyNoMore(c.decideAlone()), int64(t.role.retried)+1, of, t.role.name)
}

// usedUp says of the Task that ends the attempt what there was of retries on each step, as of now: what has ended an attempt
// is written once. If the attempt ends although the Task might be tried again, only the Framework's step is told: a plugin has
// given it up, or the policy of the Task was another one when it failed.
func (t task) usedUp() string {
	if t.role.spec == nil || !t.r.tellsSteps(*t.role.spec) {
		return ""
	}
	c := t.retryCase()
	row := c.decide()
	framework := "Framework: " + t.r.frameworkStep(c.ended.Status)
	switch {
	case !c.failed():
		return ""
	case row.Retry || row.EndsAttempt:
		return framework
	}
	text := fmt.Sprintf("Task %s: %s; ", t.ref(), c.whyNoMore(row))
	if p := t.role.spec.RetryPolicy; p != nil && row.UsedUp {
		text += fmt.Sprintf("role %s: %s; ", t.role.name, noneLeft(p.MaxRetryCount))
	}
	return text + framework
}

// stepsOf is usedUp of the Task that ends the attempt; empty if none does.
func (r *round) stepsOf(by *v1.CompletionTrigger) string {
	if by == nil {
		return ""
	}
	t, found := r.taskNamed(TaskRef{by.TaskRoleName, by.TaskIndex})
	if !found || t.undecided() { // then it is not the one whose outcome the attempt has, and its message has no steps either
		return ""
	}
	return t.usedUp()
}

// usedUpWithoutTask says it of an attempt that no Task has ended, such as that of a gang which found no place: no Task and no
// role has used up anything, and the Framework decides alone. What ends by its user, or its scheduler, asks nobody for a retry.
func (r *round) usedUpWithoutTask(ended v1.CompletionStatus) string {
	c := r.retryCaseOf(Ending{Status: ended, Time: r.now.Time})
	if !c.failed() || c.byController() || c.interrupted() || r.in.Framework.Deleting || !r.tellsSteps(r.in.Framework.Spec.TaskRoles...) {
		return ""
	}
	return "Framework: " + r.frameworkStep(ended)
}

// withSteps adds what there was of retries to the reason for which an attempt ends, if there is anything to say.
func withSteps(reason, steps string) string {
	if reason == "" || steps == "" {
		return reason + steps
	}
	return strings.TrimRight(reason, ". ") + ". " + steps
}

// stepsAdded is what withSteps adds.
var stepsAdded = regexp.MustCompile(`(^|\. )(Task \S+-\d+: ` + noMore + `; )?(role \S+: ` + noMore + `; )?Framework: (has a retry left|` + noMore + `)$`)

// noMore is what whyNoMore says.
const noMore = `(a Permanent failure is not retried|no retry is left by .+)`

// WithoutSteps is why an attempt has ended, for those who tell of its retries themselves: a trigger's message, or diagnostics,
// without what they say of them.
func WithoutSteps(message string) string {
	if at := stepsAdded.FindStringIndex(message); at != nil {
		return message[:at[0]]
	}
	return message
}

// frameworkStep says what the Framework's own policy makes of an attempt that ends so.
func (r *round) frameworkStep(ended v1.CompletionStatus) string {
	c := r.retryCaseOf(Ending{Status: ended, Time: r.now.Time})
	if row := c.decide(); !row.Retry {
		return c.whyNoMore(row)
	}
	return "has a retry left"
}

// tellsSteps reports whether one of the roles, or the Framework, has anything about retries that the original does not have.
func (r *round) tellsSteps(roles ...v1.TaskRoleSpec) bool {
	return hasCauses(&r.in.Framework.Spec.RetryPolicy) || slices.ContainsFunc(roles, func(role v1.TaskRoleSpec) bool {
		return role.RetryPolicy != nil || hasCauses(&role.Task.RetryPolicy)
	})
}

func hasCauses(p *v1.RetryPolicySpec) bool {
	return p.Window != nil || len(p.Budgets) > 0 || p.Restart != ""
}

// whyNoMore says by what a row allows no retry.
func (e retryCase) whyNoMore(row *RetryRow) string {
	switch row.ID {
	case "R3":
		return "a Permanent failure is not retried"
	case "RB3":
		b := e.budget()
		return fmt.Sprintf("%s of the budget for %s", noneLeft(b.MaxRetryCount), BudgetCause(b))
	case "RW":
		return fmt.Sprintf("no retry is left by window, %d failures within %d s", e.policy.Window.Failures, e.policy.Window.WithinSec)
	}
	return noneLeft(e.policy.MaxRetryCount)
}

func noneLeft(maxRetryCount int32) string {
	return fmt.Sprintf("no retry is left by maxRetryCount %d", maxRetryCount)
}
