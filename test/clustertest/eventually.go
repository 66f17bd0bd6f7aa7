package clustertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// pollEvery is short compared with the waits of tests, and long compared with a request.
const pollEvery = 20 * time.Millisecond

// Eventually tries until there is no error. After a timeout, the test fails at once and shows the last error. It works in cleanups too.
func Eventually(t *testing.T, within time.Duration, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := Poll(ctx, try); err != nil {
		t.Fatalf("not within %s: %v", within, err)
	}
}

// Poll tries until there is no error. If ctx ends before, the error gives the cause, and the last error.
func Poll(ctx context.Context, try func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, pollEvery, true, func(ctx context.Context) (bool, error) {
		err := try(ctx)
		if err == nil || ctx.Err() == nil { // otherwise the error only shows that the end of ctx has aborted a request
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return errors.Join(context.Cause(ctx), last)
	}
	return nil
}

// Holds returns an error with the description while the condition is false.
func Holds(what string, is func() bool) func(context.Context) error {
	return func(context.Context) error {
		if !is() {
			return errors.New("it does not hold: " + what)
		}
		return nil
	}
}
