package explain

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// retries is a retry policy by which there might have been another try.
type retries struct {
	of     string // the Framework, or the Tasks of a role
	policy *v1.RetryPolicySpec
	role   *v1.TaskRoleSpec // that has a policy as a whole, besides; nil if there is none
}

// changeOf says what to change so that a Framework which has failed for good does not fail like that again.
func (t *telling) changeOf(s *v1.FrameworkAttemptCompletionStatus, task *v1.TaskStatus) {
	if t.status.State != v1.Completed || s.Type.Name != v1.CompletionFailed || CodeWord(s.CompletionStatus).Change == "" {
		return
	}
	policies := []retries{{of: "the whole Framework", policy: &t.Framework.Spec.RetryPolicy}}
	if task != nil && inherited(s, task) {
		policies = append(t.retriesOf(s.Trigger.TaskRoleName), policies...)
	}
	t.change(s.CompletionStatus, policies...)
	t.say("A Framework that has ended does not start again: delete it, and create it anew with what is changed.")
	t.advise(seeSpec)
}

// retriesOf is the policy of a role's Tasks; none if the spec does not have the role any more.
func (t *telling) retriesOf(role string) []retries {
	if spec := t.roleSpec(role); spec != nil {
		tasks := retries{of: "Tasks of role " + role, policy: &spec.Task.RetryPolicy}
		if spec.RetryPolicy != nil {
			tasks.role = spec
		}
		return []retries{tasks}
	}
	return nil
}

// change says what to do about a failure, and which retry policy would have had it tried again.
func (t *telling) change(ended v1.CompletionStatus, policies ...retries) {
	change := CodeWord(ended).Change
	if change == "" {
		return
	}
	t.say("What to change: %s", change)
	has := func(a v1.CompletionTypeAttribute) bool { return slices.Contains(ended.Type.Attributes, a) }
	if has(v1.AttributePermanent) {
		return
	}
	limits, policies := ownLimits(ended, policies)
	if len(policies) > 0 && !has(v1.AttributeTransient) {
		limits = append(limits, "maxRetryCount, which is "+countsOfRetries(policies))
	}
	if len(limits) > 0 {
		t.add("If another try may help, raise %s.", alternatives(limits))
	}
	if len(policies) > 0 && has(v1.AttributeTransient) {
		t.add("With fancyRetryPolicy: true, %s would be tried again after such a failure, as it may pass.", namesOf(policies))
	}
}

// ownLimits are those of budgets and windows, which decide whatever else a policy says, and the policies that have none for
// such an end.
func ownLimits(ended v1.CompletionStatus, policies []retries) (limits []string, others []retries) {
	for _, p := range policies {
		switch budget := retryrules.BudgetOf(*p.policy, ended); {
		case budget != nil:
			limits = append(limits, fmt.Sprintf("maxRetryCount of the budget for %s, which is %d for %s", retryrules.BudgetCause(budget), budget.MaxRetryCount, p.of))
		case p.policy.Window != nil && p.policy.MaxRetryCount < 0:
			limits = append(limits, fmt.Sprintf("failures of window, which is %d for %s", p.policy.Window.Failures, p.of))
		default:
			others = append(others, p)
		}
	}
	return limits, others
}

func namesOf(policies []retries) string {
	var names []string
	for _, p := range policies {
		names = append(names, p.of)
	}
	return alternatives(names)
}

func countsOfRetries(policies []retries) string {
	var counts []string
	for _, p := range policies {
		counts = append(counts, fmt.Sprintf("%d for %s", p.policy.MaxRetryCount, p.of))
		if p.role != nil {
			counts = append(counts, fmt.Sprintf("%d for role %s as a whole", p.role.RetryPolicy.MaxRetryCount, p.role.Name))
		}
	}
	return listed(counts)
}

// alternatives joins the parts of a choice.
func alternatives(parts []string) string {
	if len(parts) == 2 {
		return parts[0] + " or " + parts[1]
	}
	return listed(parts)
}
