package controller

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// candidate is an action that can begin, and what has failed before.
type candidate struct {
	action lifecycle.Action
	// roleFailed is when a Pod of the same role could not be created, and none could since; zero otherwise.
	roleFailed time.Time
	// failedAt is when the action itself has failed; zero if its last try has not.
	failedAt time.Time
}

func (b *blockers) candidate(a lifecycle.Action, f *facts) candidate {
	out := candidate{action: a, failedAt: f.failedAt}
	if creation, ok := a.(lifecycle.CreatePod); ok {
		out.roleFailed = b.failingRoles[creation.Task.Role]
	}
	return out
}

// ordered puts last what is the most likely to fail again. A failure holds back what is behind it, and after a failure
// the first is tried alone: Pods of one role are made of one template, and what is in the way of one mostly is in the
// way of the others. Among those alike it is the turn of the one that has waited longest.
func ordered(candidates []candidate) []lifecycle.Action {
	slices.SortStableFunc(candidates, func(x, y candidate) int {
		return cmp.Or(x.roleFailed.Compare(y.roleFailed), x.failedAt.Compare(y.failedAt))
	})
	out := make([]lifecycle.Action, len(candidates))
	for i := range candidates {
		out[i] = candidates[i].action
	}
	return out
}

// recordTried notes whether an action has failed. One that was not sent says nothing new.
func (b *blockers) recordTried(f *facts, n result, now time.Time) {
	if errors.Is(n.err, errHeldBack) {
		return
	}
	f.failedAt = time.Time{}
	if n.transient() {
		f.failedAt = now
	}
	creation, ok := n.action.(lifecycle.CreatePod)
	switch role := creation.Task.Role; {
	case !ok:
	case !n.transient():
		delete(b.failingRoles, role)
	case !n.ofItsObject():
		b.failingRoles[role] = now
	}
}
