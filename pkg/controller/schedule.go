package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// schedule has the times of the next round and the next status write, and the scope of that round.
//
// Invariant: while full, changed is nil; while not full, a round looks only at the Tasks in changed.
// Invariant: after a completed round, the key is added to the queue for wakeAt and retryAt, or earlier.
type schedule struct {
	full          bool // the next round must look at every Task
	changed       map[lifecycle.TaskRef]struct{}
	podFailed     bool // a Pod has failed since the last round
	configMapGoes bool // the attempt's ConfigMap is being deleted, or seems to be gone, since the last round

	wakeAt    time.Time // when the Framework needs a full round; zero for none
	retryAt   time.Time // when held-back actions are due again; zero for none
	heldSince time.Time // since when rounds are deferred; zero if none is
	resumeAt  time.Time // when a round may follow the last one with a deferred write; zero if there is none
	// cooldownUntil is the earliest time to store a status change that nothing depends on; zero before the first status write.
	cooldownUntil time.Time
	// storageUntil is the earliest time to store even a change that something depends on, as etcd could not hold more versions of this
	// status. It is not after cooldownUntil.
	storageUntil time.Time
}

// beginRound forgets the scope of the last round: later entries are for the next one.
func (s *schedule) beginRound() {
	s.full, s.changed, s.podFailed, s.configMapGoes, s.heldSince = false, nil, false, false, time.Time{}
}

// lookAtAll makes the next round look at every Task.
func (s *schedule) lookAtAll() {
	s.full, s.changed = true, nil
}

// lookAt makes the next round look at this Task, too.
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
		ref, ok = taskThatAwaits(a)
	}
	if _, keeps := a.(lifecycle.KeepClaim); keeps && !ok {
		return false // any Task may have requested it
	}
	if !ok {
		return topic(a) != "hints" // hints are requested by a Task that wants a Pod, when it is looked at
	}
	_, ok = s.changed[ref]
	return ok
}

// retryNotAfter schedules a full round for this time or earlier. A zero time changes nothing.
func (s *schedule) retryNotAfter(at time.Time) {
	if !at.IsZero() && (s.retryAt.IsZero() || at.Before(s.retryAt)) {
		s.retryAt = at
	}
}

// hold records that a round is deferred, and returns since when rounds are.
func (s *schedule) hold(now time.Time) (since time.Time) {
	if s.heldSince.IsZero() {
		s.heldSince = now
	}
	return s.heldSince
}
