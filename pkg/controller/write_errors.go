package controller

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// errStale: somebody else has written or deleted the object. The next round starts from what they left.
var errStale = errors.New("the stored object has changed")

// declined reports whether the API server has answered that it does not take the write.
func declined(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500 && !apierrors.IsTimeout(err)
}

// tooLarge reports whether the spec leaves no room for a status. The API server passes on what its storage says.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "request is too large")
}
