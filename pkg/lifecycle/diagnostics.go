package lifecycle

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Diagnostics of predefined outcomes. Wherever the original's wording is recorded, it is kept.
const (
	diagnosticsStopped      = "User has requested to stop the Framework"
	diagnosticsCutShort     = "Stop to complete current FrameworkAttempt"
	diagnosticsScaledDown   = "User has requested to delete the Task by scaling down"
	diagnosticsPodSucceeded = "Pod succeeded"
	diagnosticsSuspended    = "User has requested to suspend the Framework"
)

func diagnosticsInvisible(kind string, timeout time.Duration) string {
	return fmt.Sprintf("%s did not show up in the local cache within %s after its creation", kind, timeout)
}

// givenUp says who ends the attempt of the Framework.
func givenUp(by *v1.CompletionSource) string {
	if by == nil {
		return "its failure gives up the attempt"
	}
	return fmt.Sprintf("plugin %s gives up the attempt", by.Plugin)
}

func predefined(code completion.Code, diagnostics string) v1.FrameworkAttemptCompletionStatus {
	return v1.FrameworkAttemptCompletionStatus{CompletionStatus: completion.Predefined(code, diagnostics)}
}

// attemptFailedEvent reports a failure, with the remaining retries, as soon as it is decided. Success is reported when the
// Framework completes.
func (r *round) attemptFailedEvent() Event {
	a := &r.status.AttemptStatus
	s := a.CompletionStatus
	text := fmt.Sprintf("attempt %d%s: %s", a.ID, byTrigger(s.Trigger), summaryWithCause(s.CompletionStatus))
	d := retry.Decide(r.retryCaseOf(retry.Ending{Status: s.CompletionStatus, Time: r.now.Time}))
	return Event{Warning: true, Reason: reason.AttemptCompleted, Facts: r.attemptFacts(d), Message: followedBy(followedBy(text, s.Remedy), retry.Sentence(s.Retries))}
}

// longestEvent is the limit of Kubernetes for the message of an event.
const longestEvent = 1024

// followedBy appends more to the message of an event, as far as there is room.
func followedBy(text, more string) string {
	if more == "" {
		return text
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	if text += " " + more; len(text) > longestEvent {
		return completion.Cut(text, longestEvent-len("...")) + "..."
	}
	return text
}

// byTrigger names the Task that decided, if there is one: it is the one to look at.
func byTrigger(t *v1.CompletionTrigger) string {
	if t == nil || t.TaskRoleName == "" {
		return ""
	}
	return fmt.Sprintf(", by Task %s", TaskRef{t.TaskRoleName, t.TaskIndex})
}

// retriedBecause describes the end of a Task's attempt, and its node. When the next attempt begins, the status no longer has
// them.
func retriedBecause(a v1.TaskAttemptStatus) string {
	out := ", after " + summary(a.CompletionStatus.CompletionStatus)
	if a.PodNodeName != nil && *a.PodNodeName != "" {
		out += " on " + *a.PodNodeName
	}
	return out
}

// longestCause bounds the part of a cause in a condition or an event. The diagnostics have all of it.
const longestCause = 256

// summaryWithCause is the summary of a failure with its known cause.
func summaryWithCause(s v1.CompletionStatus) string {
	if s.Type.Name != v1.CompletionFailed || s.Diagnostics == "" {
		return summary(s)
	}
	text := cmp.Or(completion.Words(s.Diagnostics), s.Diagnostics)
	if len(text) > longestCause {
		text = strings.ToValidUTF8(text[:longestCause], "") + "..."
	}
	return summary(s) + ": " + text
}

func summary(s v1.CompletionStatus) string {
	return fmt.Sprintf("%s, code %d", s.Phrase, s.Code)
}
