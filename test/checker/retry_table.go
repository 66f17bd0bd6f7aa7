package checker

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// own are the outcomes that the controller brings about itself, after which there is no retry: code and phrase.
var own = map[int32]string{-140: "DeadlineExceeded", -210: "StopFrameworkRequested", -220: "FrameworkAttemptCompletion", -230: "DeleteTaskRequested"}

// ending is how an attempt has ended.
type ending struct {
	v1.CompletionStatus
	advice *v1.RetryAdvice
	at     *metav1.Time
	raised bool // later Pods get more memory
}

func endingOf(a *v1.TaskAttemptStatus) *ending {
	if a.CompletionStatus == nil {
		return nil
	}
	raised := slices.ContainsFunc(a.CompletionStatus.Memory, func(c v1.MemoryChange) bool { return c.To != "" })
	return &ending{a.CompletionStatus.CompletionStatus, a.CompletionStatus.Advice, a.CompletionTime, raised}
}

// looksAtType reports whether the policy goes by the type of the failure, which says nothing once there is more memory.
func looksAtType(p v1.RetryPolicySpec, s ending) bool {
	return p.FancyRetryPolicy && !(p.OnOOM != nil && s.raised)
}

// retryTable is the contract's section 3.1, read independently of the controller.
func retryTable(p v1.RetryPolicySpec, c v1.RetryPolicyStatus, s ending) (retry, accountable bool) {
	is := func(a v1.CompletionTypeAttribute) bool { return slices.Contains(s.Type.Attributes, a) }
	failed, fancy := s.Type.Name == v1.CompletionFailed, looksAtType(p, s)
	switch {
	case own[s.Code] != "" && own[s.Code] == s.Phrase: // R0
		return false, false
	case s.Code == -250 && s.Phrase == "FrameworkSuspended", s.Code == -251 && s.Phrase == "EvictedByScheduler",
		s.Code == -241 && s.Phrase == "NodesAvoidedTooStrictly": // R0a
		return true, false
	case s.Code == -240 && s.Phrase == "RestartedWithPeers": // R0b
		return true, false
	case failed && s.advice != nil && s.advice.GiveUpAttempt: // R0c
		return false, false
	}
	if b := budgetOf(p, s); b != nil && failed && !(fancy && is(v1.AttributePermanent)) { // RB1 to RB3
		return b.MaxRetryCount == -1 || retriedBy(b, c) < b.MaxRetryCount, false
	}
	switch {
	case fancy && failed && is(v1.AttributeTransient): // R1, R2
		return true, false
	case fancy && failed && is(v1.AttributePermanent): // R3
		return false, false
	case p.Window != nil && failed && recent(p.Window, c, s.at) >= int(p.Window.Failures): // RW
		return false, false
	case p.MaxRetryCount == -2: // R4
		return true, true
	case failed && p.MaxRetryCount == -1: // R5
		return true, true
	case failed && c.AccountableRetriedCount < p.MaxRetryCount: // R6
		return true, true
	}
	return false, false
}

// roleDecides reports whether a role's retryPolicy restarts it after the failure of a Task without a retry of its own (RR).
func roleDecides(role *v1.TaskRoleSpec, retried int32, s ending) bool {
	if role.RetryPolicy == nil || s.Type.Name != v1.CompletionFailed {
		return false
	}
	permanent := looksAtType(role.Task.RetryPolicy, s) && slices.Contains(s.Type.Attributes, v1.AttributePermanent)
	givenUp := s.advice != nil && s.advice.GiveUpAttempt
	if own[s.Code] != "" && own[s.Code] == s.Phrase || givenUp || permanent {
		return false
	}
	return role.RetryPolicy.MaxRetryCount == -1 || retried < role.RetryPolicy.MaxRetryCount
}

// budgetOf is the first budget that names the failure.
func budgetOf(p v1.RetryPolicySpec, s ending) *v1.RetryBudgetSpec {
	for i, b := range p.Budgets {
		if b.Code != nil && *b.Code == s.Code || b.Phrase != "" && b.Phrase == s.Phrase || slices.Contains(s.Type.Attributes, b.Attribute) {
			return &p.Budgets[i]
		}
	}
	return nil
}

func retriedBy(b *v1.RetryBudgetSpec, c v1.RetryPolicyStatus) int32 {
	cause := "attribute=" + string(b.Attribute)
	if b.Code != nil {
		cause = fmt.Sprintf("code=%d", *b.Code)
	} else if b.Phrase != "" {
		cause = "phrase=" + b.Phrase
	}
	for _, count := range c.Budgets {
		if count.Cause == cause {
			return count.RetriedCount
		}
	}
	return 0
}

// recent is how many failures that counted lie in the window that ends then.
func recent(w *v1.RetryWindowSpec, c v1.RetryPolicyStatus, end *metav1.Time) (n int) {
	for _, at := range c.RecentFailures {
		if end != nil && end.Sub(at.Time).Abs() < time.Duration(w.WithinSec)*time.Second {
			n++
		}
	}
	return n
}
