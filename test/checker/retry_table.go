package checker

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// own are the outcomes that the controller brings about itself, after which there is no retry: code and phrase.
var own = map[int32]string{-210: "StopFrameworkRequested", -220: "FrameworkAttemptCompletion", -230: "DeleteTaskRequested"}

// retryTable is the contract's section 3.1, read independently of the controller.
func retryTable(p v1.RetryPolicySpec, c v1.RetryPolicyStatus, s v1.CompletionStatus) (retry, accountable bool) {
	is := func(a v1.CompletionTypeAttribute) bool { return slices.Contains(s.Type.Attributes, a) }
	failed := s.Type.Name == v1.CompletionFailed
	switch {
	case own[s.Code] != "" && own[s.Code] == s.Phrase: // R0
		return false, false
	case s.Code == -250 && s.Phrase == "FrameworkSuspended", s.Code == -251 && s.Phrase == "EvictedByScheduler": // R0a
		return true, false
	case p.FancyRetryPolicy && failed && is(v1.AttributeTransient): // R1, R2
		return true, false
	case p.FancyRetryPolicy && failed && is(v1.AttributePermanent): // R3
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
