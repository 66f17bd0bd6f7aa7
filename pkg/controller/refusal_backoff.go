package controller

import (
	"errors"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// refusals of a Pod in a row, each of them for good, hold back the next creation under its name. Without a backoff an
// attempt that was refused, be it the Task's or the Framework's, is retried at once, and for ever if its policy says so.
// That stays as it is, but the API server is not asked as often.
type refusals struct {
	any     bool                // the last creation was refused
	backoff flowcontrol.Backoff // from the second on
}

// add takes in a refusal. One by itself holds nothing back.
func (s *refusals) add(now time.Time) {
	if s.any {
		s.backoff.Fail(now)
	}
	s.any = true
}

// record takes in what became of a creation. One that failed for a reason that may pass says nothing of the next.
func (s *refusals) record(n result, now time.Time) {
	var refused *refusedError
	switch {
	case n.err == nil:
		*s = refusals{}
	case errors.As(n.err, &refused):
		s.add(now)
	}
}
