package lifecycle_test

import (
	"math"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// lawBudget: no counted retry exceeds maxRetryCount, unless the policy was changed after the retry was scheduled (P3).
func (c *checker) lawBudget(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		switch {
		case move.Row == "F16":
			settled := in.Saved.Framework().RetryPolicyStatus.RetryDelaySec != nil
			c.lawRate("framework "+string(in.Framework.UID), settled, in.Framework.Spec.RetryPolicy, in.Saved.Framework().AttemptStatus.CompletionTime.Time,
				in.Saved.Framework().AttemptStatus.CompletionStatus.CompletionStatus, in.Saved.Framework().RetryPolicyStatus, out.State.Framework().RetryPolicyStatus)
			c.lawWithin("framework", settled, move.Retry, in.Framework.Spec.RetryPolicy, in.Saved.Framework().RetryPolicyStatus, out.State.Framework().RetryPolicyStatus)
		case move.Row == "T12":
			policy, found := taskPolicy(in.Framework.Spec, move.Task.Role)
			if before, after := in.Saved.Task(*move.Task), out.State.Task(*move.Task); found && after != nil {
				settled := before.RetryPolicyStatus.RetryDelaySec != nil || ownRestart(*move.Task, before) != nil
				c.lawRate(move.Task.String()+before.InstanceUID, settled, policy, before.AttemptStatus.CompletionTime.Time,
					before.AttemptStatus.CompletionStatus.CompletionStatus, before.RetryPolicyStatus, after.RetryPolicyStatus)
				c.noteRemoved(*move.Task, before)
				c.lawWithin(move.Task.String(), settled, move.Retry, policy, before.RetryPolicyStatus, after.RetryPolicyStatus)
			}
		}
	}
	c.noteScheduled(in, out)
}

// lawWithin: settled means that an earlier round has decided on the retry, by the policy at that time.
func (c *checker) lawWithin(who string, settled bool, row retry.RowID, policy v1.RetryPolicySpec, before, after v1.RetryPolicyStatus) {
	counted := after.AccountableRetriedCount > before.AccountableRetriedCount
	changed := settled && c.scheduled[who].policy != budgetOf(policy)
	if counted && !changed && policy.MaxRetryCount >= 0 && after.AccountableRetriedCount > policy.MaxRetryCount {
		c.violationf("P3: within the policy", "%s: %s, maxRetryCount %d", who, text(after), policy.MaxRetryCount)
	}
	if !counted && !policy.FancyRetryPolicy && !slices.Contains([]retry.RowID{"R0a", "R0b", "RR", "RB1", "RB2", "RB3"}, row) {
		c.violationf("P3: only a fancy policy, a budget, a role, an interruption or a restart with others exempts a retry", "%s: %s -> %s", who, text(before), text(after))
	}
	if !changed {
		c.lawBudgets(who, policy, before, after)
	}
	c.lawWindow(who, row, policy, before, after)
	if after.TotalRetriedCount != before.TotalRetriedCount+1 {
		c.violationf("P3: one retry at a time", "%s: %s -> %s", who, text(before), text(after))
	}
}

// lawBudgets: a retry counts against at most one budget, within its limit, and without budgets there are no counts.
func (c *checker) lawBudgets(who string, policy v1.RetryPolicySpec, before, after v1.RetryPolicyStatus) {
	most := map[string]int32{}
	for _, b := range policy.Budgets {
		if cause := retry.BudgetCause(&b); b.MaxRetryCount < 0 {
			most[cause] = math.MaxInt32
		} else {
			most[cause] = max(most[cause], b.MaxRetryCount)
		}
	}
	was := map[string]int32{}
	for _, b := range before.Budgets {
		was[b.Cause] = b.RetriedCount
	}
	raised := 0
	for _, b := range after.Budgets {
		if b.RetriedCount == was[b.Cause] {
			continue
		}
		raised++
		if b.RetriedCount != was[b.Cause]+1 || b.RetriedCount > most[b.Cause] {
			c.violationf("budgets are never exceeded", "%s: %s -> %s, with %s", who, text(before), text(after), text(policy.Budgets))
		}
	}
	if counted := after.AccountableRetriedCount > before.AccountableRetriedCount; raised > 1 || raised == 1 && counted {
		c.violationf("a retry counts once", "%s: %s -> %s", who, text(before), text(after))
	}
}

// countedFailure is a failure whose retry was counted, with the policy's window that counted it.
type countedFailure struct {
	at     time.Time
	window string
}

// lawRate: however they are spread, no more failures are retried and counted within the window than it allows. The law keeps its
// own list of failures, as long as the window is unchanged. If the clock was put back, failures that seem to lie in the future
// count as well, up to the length of the window. A round that was not stored is repeated.
func (c *checker) lawRate(who string, settled bool, policy v1.RetryPolicySpec, failedAt time.Time, s v1.CompletionStatus, before, after v1.RetryPolicyStatus) {
	if after.AccountableRetriedCount == before.AccountableRetriedCount || s.Type.Name != "Failed" {
		return
	}
	if c.counted[who] == nil {
		c.counted[who] = map[int32]countedFailure{}
	}
	now := countedFailure{failedAt, text(policy.Window)}
	recent := 0
	for id := before.TotalRetriedCount - 1; id >= 0; id-- {
		earlier, counted := c.counted[who][id]
		if counted && earlier.window != now.window {
			break
		}
		if w := policy.Window; counted && w != nil && failedAt.Sub(earlier.at).Abs() < time.Duration(w.WithinSec)*time.Second {
			recent++
		}
	}
	if w := policy.Window; w != nil && !settled && recent >= int(w.Failures) {
		c.violationf("a window is never exceeded", "%s: %d failures within %d s", who, recent+1, w.WithinSec)
	}
	c.counted[who][before.TotalRetriedCount] = now
}

// lawWindow: the stored failures are the ones that the window needs, and only counted retries add to them.
func (c *checker) lawWindow(who string, row retry.RowID, policy v1.RetryPolicySpec, before, after v1.RetryPolicyStatus) {
	counted := after.AccountableRetriedCount > before.AccountableRetriedCount
	kept := len(after.RecentFailures)
	switch {
	case !counted && text(before.RecentFailures) != text(after.RecentFailures):
		c.violationf("a window looks at what counts", "%s by %s: %s -> %s", who, row, text(before), text(after))
	case counted && (policy.Window == nil && kept > 0 || policy.Window != nil && kept > int(policy.Window.Failures)):
		c.violationf("a window bounds what is kept", "%s: %s", who, text(after))
	}
}

// budgetOf is the part of a policy that limits the number of retries.
func budgetOf(policy v1.RetryPolicySpec) string {
	return text([]any{policy.FancyRetryPolicy, policy.MaxRetryCount, policy.Budgets, policy.Window})
}

// scheduledRetry is a retry that waits for its time, or for others that start again with the Task.
type scheduledRetry struct {
	policy string // the policy of the Task, or the Framework, when the retry was decided
	byRole bool   // the Task's own policy had no retry left, and the policy of its role had
}

// noteRemoved forgets a retry granted by the role of a Task that is being removed by now. The role no longer allows any: the
// retry is executed as after any other change, and creates no Pod.
func (c *checker) noteRemoved(ref lifecycle.TaskRef, task *v1.TaskStatus) {
	if task.DeletionPending && c.scheduled[ref.String()].byRole {
		delete(c.scheduled, ref.String())
	}
}

// noteScheduled remembers by which policies retries are scheduled.
func (c *checker) noteScheduled(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		return
	}
	if in.Saved.Framework().RetryPolicyStatus.RetryDelaySec == nil && out.State.Framework().RetryPolicyStatus.RetryDelaySec != nil {
		c.scheduled["framework"] = scheduledRetry{policy: budgetOf(in.Framework.Spec.RetryPolicy)}
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		before := in.Saved.Task(ref)
		scheduled := func(t *v1.TaskStatus) bool {
			return t != nil && (t.RetryPolicyStatus.RetryDelaySec != nil || ownRestart(ref, t) != nil)
		}
		if !scheduled(task) || scheduled(before) && sameAttempt(before, task) {
			return
		}
		policy, _ := taskPolicy(in.Framework.Spec, ref.Role)
		own := retry.Decide(retry.OfFramework(policy, task.RetryPolicyStatus, retry.EndingOf(&task.AttemptStatus, in.Now)))
		c.scheduled[ref.String()] = scheduledRetry{budgetOf(policy), !own.Retry && roleRetriesLeft(in, ref.Role)}
	})
}

func taskPolicy(spec *v1.FrameworkSpec, role string) (policy v1.RetryPolicySpec, found bool) {
	for i := range spec.TaskRoles {
		if spec.TaskRoles[i].Name == role {
			return spec.TaskRoles[i].Task.RetryPolicy, true
		}
	}
	return policy, false
}
