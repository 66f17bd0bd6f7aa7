package controller

import (
	"errors"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// reason names what is in the way in one word. Webhooks may give reasons that are none.
func (f failedAction) reason() string {
	reason := string(apierrors.ReasonForError(f.err))
	var answer apierrors.APIStatus
	switch {
	case errors.Is(f.err, errNameTaken):
		return nameConflict
	case f.lacks() != "":
		return f.lacks()
	case conditionReason.MatchString(reason):
		return reason
	case errors.As(f.err, &answer):
		return requestRefused
	}
	return unreachable
}

// lacks is the reason if the API server does not have what a Pod names; empty otherwise. That it was still waited for when
// it was asked is known by its being there.
func (f failedAction) lacks() string {
	if _, ok := f.action.(lifecycle.CreatePod); !ok {
		return ""
	}
	return creationError(f.err, 0).Lacks()
}

// text says what went wrong. Of an error of the connection it is the cause: the rest has port numbers, and a text
// that changes with each try would be a status write each time.
func (f failedAction) text() string {
	err := f.err
	if f.reason() == unreachable {
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
	}
	return err.Error()
}

// Reasons that are not the API server's own.
const (
	nameConflict = "NameConflict"
	// requestRefused: the API server gives no reason that can be one of a condition.
	requestRefused = "RequestRefused"
	// unreachable: the API server has not answered.
	unreachable = "APIServerUnreachable"
)

// conditionReason is what the API server accepts as a reason of a condition.
var conditionReason = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,99}$`)
