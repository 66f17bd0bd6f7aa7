package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// A gang is useful only if enough of its Pods have nodes. If only some have, they keep the nodes from another gang that would
// fit, which may do the same to them. So after a timeout all of them are given up together; the random delay of a conflict then
// lets one of the two be first. Nothing here looks at nodes: it only matters whether a Pod has one.

// awaitPlacement ends an attempt whose gang is not placed in time. Once it is placed, retry and completion policies decide
// about its Pods.
func (r *round) awaitPlacement() {
	a := &r.status.AttemptStatus
	timeout := r.placementTimeout()
	switch {
	case a.Placement != nil && a.Placement.PlacedTime != nil, r.in.Framework.Deleting:
	case timeout == nil:
		a.Placement = nil // or the time without a timeout would count once there is one again
	case r.nothingToPlace():
	case a.Placement == nil && !r.letByScheduler():
		// It holds no nodes, and would lose its place in the queue.
	case r.gangPlaced():
		a.Placement = &v1.PlacementStatus{StartTime: r.placementStart(), PlacedTime: &metav1.Time{Time: r.now.Time}}
	default:
		r.waitForPlacement(*timeout)
	}
}

// nothingToPlace reports whether all Tasks are held back.
func (r *round) nothingToPlace() bool {
	counts, _ := r.released()
	return counts.total == 0
}

// placeLater restarts the timeout for Pods that are created later than others: they are a gang that may be placed by half,
// too.
func (r *round) placeLater(created []*roleDraft) {
	if a := &r.status.AttemptStatus; r.live() && slices.ContainsFunc(created, (*roleDraft).hasToCreate) && a.Placement != nil && a.Placement.PlacedTime != nil {
		a.Placement = nil
	}
}

// hasToCreate reports whether a Task has no Pod yet. In a role that starts late, all may have completed, or had no room.
func (d *roleDraft) hasToCreate() bool {
	return slices.ContainsFunc(d.tasks, func(t *v1.TaskStatus) bool { return t.State == v1.AttemptCreationPending })
}

func (r *round) placementTimeout() *int32 {
	s := r.in.Framework.Spec.Scheduling
	if s == nil {
		return nil
	}
	return s.TimeoutSec
}

// placementStart returns since when nodes are searched: since the attempt's Pods may be created, or since there is a timeout.
func (r *round) placementStart() metav1.Time {
	if p := r.status.AttemptStatus.Placement; p != nil {
		return p.StartTime
	}
	return r.now
}

func (r *round) waitForPlacement(timeoutSec int32) {
	if a := &r.status.AttemptStatus; a.Placement == nil {
		a.Placement = &v1.PlacementStatus{StartTime: r.now}
	}
	due := r.placementStart().Add(seconds(int64(timeoutSec)))
	if r.now.Time.Before(due) {
		r.wakeAt(due)
		return
	}
	r.completeAttempt(predefined(completion.CodePodUnschedulable, r.unplaced(timeoutSec)))
	r.createNoMore()
	r.deletePodsForYield()
}

// deletePodsForYield deletes the Pods that were looked at in this round before it was known that all Pods have to go.
func (r *round) deletePodsForYield() {
	for _, t := range r.observedTasks() {
		// The Task has already requested the necessary action for a Pod that was not seen before.
		state := t.status().State
		if pod := t.pod(); pod != nil && (state == v1.AttemptPreparing || state == v1.AttemptRunning) && !pod.Deleting {
			t.deletePodForYield(pod)
		}
	}
}

// createNoMore withdraws the creations that Tasks have requested in this round, before their attempt was given up.
func (r *round) createNoMore() {
	r.out.Actions = slices.DeleteFunc(r.out.Actions, func(a Action) bool {
		switch a.(type) {
		case CreatePod, AskHints, PrepareHints:
			return true
		}
		return false
	})
}

// gangPlaced reports whether enough Tasks have nodes. A Task that has had a node, or needs none, counts as placed.
func (r *round) gangPlaced() bool { return GangPlaced(r.gang(), r.gangRoles) }

// gangRoles yields the roles that are part of the gang.
func (r *round) gangRoles(yield func(GangRole) bool) {
	for _, role := range r.roles {
		if counts := role.tally.atOnce(role.turns()); !r.heldBack(role) && !yield(GangRole{role.name, counts.total, counts.placed}) {
			return
		}
	}
}

// halfGang is HalfGang of the round.
func (r *round) halfGang() string {
	return HalfGang(r.in.Framework.Spec.Scheduling, r.status.AttemptStatus.Placement, func(yield func(GangTasks) bool) {
		for _, role := range r.roles {
			if !r.heldBack(role) && !yield(GangTasks{role.name, role.spec, slices.Values(role.tasks)}) {
				return
			}
		}
	})
}

// gang returns nil if the Framework has none, which means all Tasks.
func (r *round) gang() *v1.GangSpec {
	if s := r.in.Framework.Spec.Scheduling; s != nil {
		return s.Gang
	}
	return nil
}

// unplaced describes how many Tasks had no node.
func (r *round) unplaced(timeoutSec int32) string {
	all, _ := r.released()
	said := []string{fmt.Sprintf("%d of %d Tasks have had a node within %d s, and the gang needs %d", all.placed, all.total, timeoutSec, gangSize(r.gang(), all.total))}
	for role := range r.gangRoles {
		if least := gangMinimum(r.gang(), role); role.Placed < least {
			said = append(said, fmt.Sprintf("of role %s %d, and it needs %d", role.Name, role.Placed, least))
		}
	}
	return strings.Join(said, "; ")
}
