package lifecycle_test

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawBudget: no retry that counts goes beyond maxRetryCount, unless the policy was changed after it was scheduled (P3).
func (c *checker) lawBudget(in lifecycle.Input, out lifecycle.Output) {
	for _, move := range out.Moves {
		switch {
		case move.Row == "F16":
			c.lawWithin("framework", move.Retry, in.Framework.Spec.RetryPolicy, in.Saved.Framework().RetryPolicyStatus, out.State.Framework().RetryPolicyStatus)
		case move.Row == "T12":
			policy, found := taskPolicy(in.Framework.Spec, move.Task.Role)
			if before, after := in.Saved.Task(*move.Task), out.State.Task(*move.Task); found && after != nil {
				c.lawWithin(move.Task.String(), move.Retry, policy, before.RetryPolicyStatus, after.RetryPolicyStatus)
			}
		}
	}
	c.noteScheduled(in, out)
}

func (c *checker) lawWithin(who, row string, policy v1.RetryPolicySpec, before, after v1.RetryPolicyStatus) {
	counted := after.AccountableRetriedCount > before.AccountableRetriedCount
	changed := before.RetryDelaySec != nil && c.scheduled[who] != budgetOf(policy)
	if counted && !changed && policy.MaxRetryCount >= 0 && after.AccountableRetriedCount > policy.MaxRetryCount {
		c.violationf("P3: within the policy", "%s: %s, maxRetryCount %d", who, text(after), policy.MaxRetryCount)
	}
	if !counted && !policy.FancyRetryPolicy && row != "R0a" {
		c.violationf("P3: only a fancy policy, or a suspension, exempts a retry", "%s: %s -> %s", who, text(before), text(after))
	}
	if after.TotalRetriedCount != before.TotalRetriedCount+1 {
		c.violationf("P3: one retry at a time", "%s: %s -> %s", who, text(before), text(after))
	}
}

// budget is what a policy says on how many retries there are.
type budget struct {
	fancy bool
	max   int32
}

func budgetOf(policy v1.RetryPolicySpec) budget {
	return budget{policy.FancyRetryPolicy, policy.MaxRetryCount}
}

// noteScheduled remembers by which policies retries are scheduled.
func (c *checker) noteScheduled(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		return
	}
	if in.Saved.Framework().RetryPolicyStatus.RetryDelaySec == nil && out.State.Framework().RetryPolicyStatus.RetryDelaySec != nil {
		c.scheduled["framework"] = budgetOf(in.Framework.Spec.RetryPolicy)
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		before := in.Saved.Task(ref)
		if task.RetryPolicyStatus.RetryDelaySec == nil || before != nil && before.RetryPolicyStatus.RetryDelaySec != nil {
			return
		}
		policy, _ := taskPolicy(in.Framework.Spec, ref.Role)
		c.scheduled[ref.String()] = budgetOf(policy)
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
