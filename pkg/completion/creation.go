package completion

import (
	"strings"
	"time"
)

// CreationError holds the facts about a refused or failed creation of a Pod. An error that did not come from
// the API server has neither Reason nor Status.
type CreationError struct {
	// Reason and code of the API status, such as Forbidden and 403.
	Reason string
	Status int32
	// The error's text; only the text distinguishes some kinds of errors.
	Message string
	// For how long the Task attempt has waited for its Pod; missing objects may be created at the same time.
	Waited time.Duration
	// The error also looks like a reset or broken connection or an unexpected end of the stream.
	ConnectionLost bool
}

// ClassifyCreationError returns the meaning of an error for the Task (contract 4.6, the rows from the top, and before them errors
// that pass by themselves, and Pods that the API server cannot read): CodePodCreationTransientError to retry later, otherwise
// CodePodCreationPermanentError or CodePodCreationUnknownError, with which the Task attempt completes.
func ClassifyCreationError(e CreationError) Code {
	switch {
	case e.mayPass():
		return CodePodCreationTransientError
	case e.isUnreadable():
		return CodePodCreationPermanentError
	case e.is(badRequest), e.is(forbidden):
		return CodePodCreationUnknownError
	case !e.is(invalid) && !e.is(tooLarge):
		return CodePodCreationTransientError
	case e.ConnectionLost:
		return CodePodCreationUnknownError
	default:
		return CodePodCreationPermanentError
	}
}

// mayPass looks at the text first: an exhausted quota is a 403 like any other and has no structured cause.
func (e CreationError) mayPass() bool {
	_, passes := e.passes()
	return passes || strings.Contains(e.Message, "object provided is unrecognized") || strings.Contains(e.Message, "exceeded quota")
}

// isUnreadable reports whether the API server could not read the Pod: a value has the wrong type for its field, or is no
// quantity. No later attempt with the same template succeeds. The API server gives no specific cause; the beginning of its text
// distinguishes it from a webhook that refuses with 400, whose text begins with the webhook.
func (e CreationError) isUnreadable() bool {
	return e.is(badRequest) && strings.HasPrefix(e.Message, "Pod in version ") &&
		strings.Contains(e.Message, " cannot be handled as a Pod: ")
}

// is goes by the reason if it is a known one, otherwise by the number: an admission webhook may refuse with its own reason.
func (e CreationError) is(status int32) bool {
	if byReason, ok := statusOfReason[e.Reason]; ok {
		return byReason == status
	}
	return e.Status == status
}

// HTTP numbers of the refusals that complete a Task attempt.
const (
	badRequest int32 = 400
	forbidden  int32 = 403
	tooLarge   int32 = 413
	invalid    int32 = 422
)

var statusOfReason = map[string]int32{
	"BadRequest":            badRequest,
	"Forbidden":             forbidden,
	"Invalid":               invalid,
	"RequestEntityTooLarge": tooLarge,
}
