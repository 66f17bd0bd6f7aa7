package retry

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A budget gives failures of one cause their own retries, so that preemptions, say, do not use up the retries for crashes.

// budget returns the first budget that fits the failure; nil if there is none. A failure that is never retried has none.
func (c Case) budget() *v1.RetryBudgetSpec {
	if !c.failed() || c.fancy(v1.AttributePermanent) {
		return nil
	}
	for i := range c.Policy.Budgets {
		if b := &c.Policy.Budgets[i]; budgetFits(b, c.Ended.Status) {
			return b
		}
	}
	return nil
}

// BudgetOf returns the first budget of the policy that fits a failure; nil if there is none.
func BudgetOf(policy v1.RetryPolicySpec, failure v1.CompletionStatus) *v1.RetryBudgetSpec {
	return Case{Policy: policy, Ended: Ending{Status: failure}}.budget()
}

// budgetFits checks everything that the budget names, which is one thing unless an older CRD has let in more.
func budgetFits(b *v1.RetryBudgetSpec, s v1.CompletionStatus) bool {
	named := b.Code != nil || b.Phrase != "" || b.Attribute != ""
	return named && (b.Code == nil || *b.Code == s.Code) && (b.Phrase == "" || b.Phrase == s.Phrase) &&
		(b.Attribute == "" || slices.Contains(s.Type.Attributes, b.Attribute))
}

// inBudget reports whether a budget fits the failure and has a retry left.
func (c Case) inBudget() bool {
	b := c.budget()
	return b != nil && (b.MaxRetryCount == v1.RetryOnFailure || BudgetUsed(c.Counters, b) < b.MaxRetryCount)
}

// BudgetCause names the cause of a budget as the status does: code=137, phrase=OutOfDisk or attribute=Conflict.
func BudgetCause(b *v1.RetryBudgetSpec) string {
	switch {
	case b.Code != nil:
		return fmt.Sprintf("code=%d", *b.Code)
	case b.Phrase != "":
		return "phrase=" + b.Phrase
	}
	return "attribute=" + string(b.Attribute)
}

// BudgetUsed returns how many retries have counted against the budget.
func BudgetUsed(counters v1.RetryPolicyStatus, b *v1.RetryBudgetSpec) int32 {
	cause := BudgetCause(b)
	for _, used := range counters.Budgets {
		if used.Cause == cause {
			return used.RetriedCount
		}
	}
	return 0
}

// countBudget returns the counts of budgets with one more retry for the fitting one. Counts of removed budgets are dropped, so
// that there are never more counts than budgets.
func (c Case) countBudget() []v1.RetryBudgetStatus {
	counts := slices.DeleteFunc(slices.Clone(c.Counters.Budgets), func(used v1.RetryBudgetStatus) bool {
		return !slices.ContainsFunc(c.Policy.Budgets, func(b v1.RetryBudgetSpec) bool { return BudgetCause(&b) == used.Cause })
	})
	cause := BudgetCause(c.budget())
	i := slices.IndexFunc(counts, func(used v1.RetryBudgetStatus) bool { return used.Cause == cause })
	if i < 0 {
		i, counts = len(counts), append(counts, v1.RetryBudgetStatus{Cause: cause})
	}
	counts[i].RetriedCount++
	return counts
}
