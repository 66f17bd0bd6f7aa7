package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// schedule is when the next round and the next status write are due, and what that round looks at.
//
// Invariant: while full, changed is nil; while not full, a round looks at the Tasks in changed only.
// Invariant: after a round that was completed, the key is added to the queue for wakeAt and retryAt, or earlier.
type schedule struct {
	full          bool // the next round must look at every Task
	changed       map[lifecycle.TaskRef]struct{}
	podFailed     bool // a Pod has failed since the last round
	configMapGoes bool // the attempt's ConfigMap goes, or seems to have gone, since the last round

	wakeAt    time.Time // when the Framework wants a full round; zero if it does not
	retryAt   time.Time // when actions held back are to be asked for again; zero if there are none
	heldSince time.Time // since when rounds are put off; zero if none was
	resumeAt  time.Time // when a round may follow the last one whose write was put off; zero if none was
	// cooldownUntil is when a status change that nothing depends on may be stored again; zero before the first status
	// write.
	cooldownUntil time.Time
}

// beginRound forgets what the last round has seen to: what is noted from now on is for the next one.
func (s *schedule) beginRound() {
	s.full, s.changed, s.podFailed, s.configMapGoes, s.heldSince = false, nil, false, false, time.Time{}
}

// lookAtAll has the next round look at every Task.
func (s *schedule) lookAtAll() {
	s.full, s.changed = true, nil
}

// lookAt has the next round look at a Task, too.
func (s *schedule) lookAt(ref lifecycle.TaskRef) {
	if s.full {
		return
	}
	if s.changed == nil {
		s.changed = map[lifecycle.TaskRef]struct{}{}
	}
	s.changed[ref] = struct{}{}
}

// looksAt reports whether the round looks at the object of an action.
func (s *schedule) looksAt(a lifecycle.Action) bool {
	if s.full {
		return true
	}
	ref, ok := taskOf(a)
	if !ok {
		return topic(a) != "hints" // which are asked for when a Task is looked at that wants a Pod
	}
	_, ok = s.changed[ref]
	return ok
}

// retryNotAfter has every Task looked at again at that time, or earlier. Zero changes nothing.
func (s *schedule) retryNotAfter(at time.Time) {
	if !at.IsZero() && (s.retryAt.IsZero() || at.Before(s.retryAt)) {
		s.retryAt = at
	}
}

// hold notes that a round is put off, and returns since when rounds are.
func (s *schedule) hold(now time.Time) (since time.Time) {
	if s.heldSince.IsZero() {
		s.heldSince = now
	}
	return s.heldSince
}
