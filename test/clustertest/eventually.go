package clustertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// pollEvery is short beside what tests wait for, and long beside a request.
const pollEvery = 20 * time.Millisecond

// Eventually tries until there is no error any more. If time is over before, the test fails at once and shows the last
// one. It works in cleanups too.
func Eventually(t *testing.T, within time.Duration, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := Poll(ctx, try); err != nil {
		t.Fatalf("not within %s: %v", within, err)
	}
}

// Poll tries until there is no error any more. If ctx ends before, the error says why, and what the last one was.
func Poll(ctx context.Context, try func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, pollEvery, true, func(ctx context.Context) (bool, error) {
		err := try(ctx)
		if err == nil || ctx.Err() == nil { // or else it only says that the end of ctx has broken off a request
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return errors.Join(context.Cause(ctx), last)
	}
	return nil
}

// Holds is for what either is so or not: the error names what is not.
func Holds(what string, is func() bool) func(context.Context) error {
	return func(context.Context) error {
		if !is() {
			return errors.New("it does not hold: " + what)
		}
		return nil
	}
}
