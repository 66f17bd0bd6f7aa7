package lifecycle

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Diagnostics of predefined outcomes. Wherever the original's wording is recorded, it is kept.
const (
	diagnosticsStopped      = "User has requested to stop the Framework"
	diagnosticsCutShort     = "Stop to complete current FrameworkAttempt"
	diagnosticsScaledDown   = "User has requested to delete the Task by scaling down"
	diagnosticsPodSucceeded = "Pod succeeded"
)

func diagnosticsInvisible(kind string, timeout time.Duration) string {
	return fmt.Sprintf("%s did not show up in the local cache within %s after its creation", kind, timeout)
}

func predefined(code completion.Code, diagnostics string) v1.FrameworkAttemptCompletionStatus {
	return v1.FrameworkAttemptCompletionStatus{CompletionStatus: completion.Predefined(code, diagnostics)}
}

func attemptCompletedEvent(attempt int32, s v1.CompletionStatus) Event {
	return Event{
		Warning: s.Type.Name == v1.CompletionFailed,
		Reason:  ReasonAttemptCompleted,
		Message: fmt.Sprintf("attempt %d: %s", attempt, summary(s)),
	}
}

func summary(s v1.CompletionStatus) string {
	return fmt.Sprintf("%s, code %d", s.Phrase, s.Code)
}
