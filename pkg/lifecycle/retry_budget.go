package lifecycle

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A budget gives failures of one cause retries of their own, so that preemptions, say, do not use up those for crashes.

// budget returns the first budget that fits the failure; nil if there is none. Of what is not retried at all nothing is
// bought.
func (e retryCase) budget() *v1.RetryBudgetSpec {
	if !e.failed() || e.fancy(v1.AttributePermanent) {
		return nil
	}
	for i := range e.policy.Budgets {
		if b := &e.policy.Budgets[i]; budgetFits(b, e.ended.Status) {
			return b
		}
	}
	return nil
}

// BudgetOf returns the first budget of the policy that fits a failure; nil if there is none.
func BudgetOf(policy v1.RetryPolicySpec, failure v1.CompletionStatus) *v1.RetryBudgetSpec {
	return retryCase{policy: policy, ended: Ending{Status: failure}}.budget()
}

// budgetFits goes by all that the budget names, which is one thing unless an older CRD has let in more.
func budgetFits(b *v1.RetryBudgetSpec, s v1.CompletionStatus) bool {
	named := b.Code != nil || b.Phrase != "" || b.Attribute != ""
	return named && (b.Code == nil || *b.Code == s.Code) && (b.Phrase == "" || b.Phrase == s.Phrase) &&
		(b.Attribute == "" || slices.Contains(s.Type.Attributes, b.Attribute))
}

// inBudget reports whether a budget fits the failure and has a retry left.
func (e retryCase) inBudget() bool {
	b := e.budget()
	return b != nil && (b.MaxRetryCount == v1.RetryOnFailure || BudgetUsed(e.counters, b) < b.MaxRetryCount)
}

// BudgetCause is how a budget is called in the status.
func BudgetCause(b *v1.RetryBudgetSpec) string {
	switch {
	case b.Code != nil:
		return fmt.Sprintf("code=%d", *b.Code)
	case b.Phrase != "":
		return "phrase=" + b.Phrase
	}
	return "attribute=" + string(b.Attribute)
}

// BudgetUsed is how many retries have counted against the budget.
func BudgetUsed(counters v1.RetryPolicyStatus, b *v1.RetryBudgetSpec) int32 {
	cause := BudgetCause(b)
	for _, used := range counters.Budgets {
		if used.Cause == cause {
			return used.RetriedCount
		}
	}
	return 0
}

// countBudget enters a retry into the count of its budget. Counts of budgets that the policy does not have any more are
// dropped, so that there are never more than budgets.
func (e retryCase) countBudget(s *v1.RetryPolicyStatus) {
	counts := slices.DeleteFunc(slices.Clone(s.Budgets), func(c v1.RetryBudgetStatus) bool {
		return !slices.ContainsFunc(e.policy.Budgets, func(b v1.RetryBudgetSpec) bool { return BudgetCause(&b) == c.Cause })
	})
	cause := BudgetCause(e.budget())
	i := slices.IndexFunc(counts, func(c v1.RetryBudgetStatus) bool { return c.Cause == cause })
	if i < 0 {
		i, counts = len(counts), append(counts, v1.RetryBudgetStatus{Cause: cause})
	}
	counts[i].RetriedCount++
	s.Budgets = counts
}
