package lifecycle_test

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawPlacement: an attempt is given up for lack of nodes if and only if its time is over and its gang was never placed.
func (c *checker) lawPlacement(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		return
	}
	before, after := in.Saved.Framework().AttemptStatus, out.State.Framework().AttemptStatus
	outcome := after.CompletionStatus
	given := before.CompletionStatus == nil && outcome != nil && outcome.Phrase == "PodUnschedulable" && outcome.Trigger == nil
	placed := naivePlaced(in.Framework.Spec, out.State)
	if given && !isDue(in, before.Placement) {
		c.violationf("placement: not before its time", "%s", text(out.State.Status()))
	}
	for _, action := range out.Actions {
		if given && creates(action) {
			c.violationf("placement: what is given up gets no Pod", "%s", action)
		}
	}
	state := out.State.Framework().State
	live := (state == v1.AttemptPreparing || state == v1.AttemptRunning) && showsConfigMap(in.Observed, out.State.Framework()) &&
		in.Observed.ConfigMap.Gone == "" && !in.Framework.Deleting
	if live && !placed && before.ID == after.ID && isDue(in, before.Placement) {
		c.violationf("placement: given up in time", "%s", text(out.State.Status()))
	}
	more := moreCreated(in.Saved.Framework().Gates, out.State.Framework().Gates)
	if p := before.Placement; p != nil && p.PlacedTime != nil && before.ID == after.ID && !more && text(p) != text(after.Placement) {
		c.violationf("placement: once placed, always placed", "%s -> %s", text(p), text(after.Placement))
	}
}

// moreCreated reports whether this round creates Pods that were held back.
func moreCreated(before, after *v1.RoleGates) bool {
	return after != nil && slices.ContainsFunc(after.Created, func(role string) bool {
		return before == nil || !slices.Contains(before.Created, role)
	})
}

// isDue reports whether the stored time has passed the timeout in the spec.
func isDue(in lifecycle.Input, p *v1.PlacementStatus) bool {
	s := in.Framework.Spec.Scheduling
	if s == nil || s.TimeoutSec == nil || p != nil && p.PlacedTime != nil {
		return false
	}
	if p == nil {
		return *s.TimeoutSec <= 0 // the CRD refuses this
	}
	return !in.Now.Before(p.StartTime.Add(time.Duration(*s.TimeoutSec) * time.Second))
}

// naivePlaced counts Tasks one by one.
func naivePlaced(spec *v1.FrameworkSpec, state *lifecycle.State) bool {
	total, placed := map[string]int{}, map[string]int{}
	eachTask(state, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		if t.DeletionPending || heldBack(spec, state.Framework().Gates, ref.Role) {
			return
		}
		has := t.AttemptStatus.PodNodeName != nil && *t.AttemptStatus.PodNodeName != ""
		for _, key := range []string{"", "role " + ref.Role} {
			total[key]++
			if has || t.RunTime != nil || t.State == v1.Completed {
				placed[key]++
			}
		}
	})
	for role := range taskNumbers(spec) { // the roles that may run at once
		key, most := "role "+role, naiveTurns(spec, role)
		total[""] -= max(0, total[key]-most)
		placed[""] -= max(0, placed[key]-most)
		total[key], placed[key] = min(total[key], most), min(placed[key], most)
	}
	enough := func(key string, least int) bool { return placed[key] >= min(least, total[key]) }
	least := total[""]
	if s := spec.Scheduling; s != nil && s.Gang != nil {
		if s.Gang.MinTasks != nil {
			least = int(*s.Gang.MinTasks)
		}
		for _, role := range s.Gang.PerRole {
			if !enough("role "+role.Role, int(role.MinTasks)) {
				return false
			}
		}
	}
	return enough("", least)
}
