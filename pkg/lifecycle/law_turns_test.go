package lifecycle_test

import (
	"fmt"
	"math"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// naiveTurns is how many Tasks of a role may have a Pod at once by the spec.
func naiveTurns(spec *v1.FrameworkSpec, role string) int {
	for i := range spec.TaskRoles {
		if r := &spec.TaskRoles[i]; r.Name == role {
			if r.Parallelism == nil {
				return math.MaxInt
			}
			return int(*r.Parallelism)
		}
	}
	return math.MaxInt
}

// hasTurn reports whether a Task may have a Pod now, has one, or is about to have the next one without a delay.
func hasTurn(t *v1.TaskStatus) bool {
	delayed := t != nil && t.State == v1.AttemptCompleted && t.RetryPolicyStatus.RetryDelaySec != nil
	return t != nil && !t.AttemptStatus.AwaitsTurn && t.State != v1.Completed && !delayed
}

// lawTurns: no Task gets a turn beyond the parallelism of its role; turns are given by index, first to retried Tasks; no turn
// stays free while Tasks wait for one; and a waiting Task gets no Pod and no UID.
func (c *checker) lawTurns(in lifecycle.Input, out lifecycle.Output) {
	placed, given := map[string]int{}, map[string][]lifecycle.TaskRef{}
	last := map[string]lifecycle.TaskRef{}
	eachTask(out.State, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		last[ref.Role] = ref
		if hasTurn(t) {
			placed[ref.Role]++
		}
		if t.AttemptStatus.AwaitsTurn && (t.State != v1.AttemptCreationPending || t.AttemptStatus.PodUID != nil || t.DeletionPending) {
			c.violationf("turns: who waits has no Pod", "%s: %s", ref, text(t))
		}
		if in.Saved == nil {
			return
		}
		before := in.Saved.Task(ref)
		if before != nil && before.AttemptStatus.AwaitsTurn && !t.AttemptStatus.AwaitsTurn && t.InstanceUID == "" {
			c.violationf("turns: who has had a turn has a UID", "%s: %s", ref, text(t))
		}
		begins := before == nil || before.AttemptStatus.AwaitsTurn || !sameAttempt(before, t)
		if begins && hasTurn(t) && t.State == v1.AttemptCreationPending && !t.DeletionPending && t.AttemptStatus.CompletionStatus == nil {
			given[ref.Role] = append(given[ref.Role], ref)
		}
	})
	for role, refs := range given {
		if most := naiveTurns(in.Framework.Spec, role); placed[role] > most {
			c.violationf("turns: no more than parallelism", "%v get turns of %d, and %d Tasks have one: %s", refs, most, placed[role], text(out.State.Status()))
		}
		for _, ref := range refs {
			before := in.Saved.Task(ref)
			kept := before != nil && before.State == v1.AttemptCompleted && before.RetryPolicyStatus.RetryDelaySec == nil
			if !kept && naiveTurns(in.Framework.Spec, role) < math.MaxInt {
				c.lawTurn(out, ref, last[role])
			}
		}
	}
	for _, action := range out.Actions {
		if create, ok := action.(lifecycle.CreatePod); ok && !hasTurn(out.State.Task(create.Task)) {
			c.violationf("turns: who waits gets no Pod", "%s", action)
		}
	}
	c.lawNoIdleTurn(in, out, placed)
}

// lawTurn: no Task waits that precedes a Task which has got a turn.
func (c *checker) lawTurn(out lifecycle.Output, ref, last lifecycle.TaskRef) {
	task := out.State.Task(ref)
	for index := range last.Index + 1 {
		other := lifecycle.TaskRef{Role: ref.Role, Index: index}
		waiting := out.State.Task(other)
		if waiting == nil || !waiting.AttemptStatus.AwaitsTurn {
			continue
		}
		again, waitsAgain := task.AttemptStatus.ID > 0, waiting.AttemptStatus.ID > 0
		if waitsAgain && !again || waitsAgain == again && index < ref.Index {
			c.violationf("turns: nobody is passed over", "%s has got a turn before %s: %s", ref, other, text(out.State.Status()))
		}
	}
}

// lawNoIdleTurn: a Task waits only while other Tasks of its role have all turns, or something else keeps all of them waiting.
func (c *checker) lawNoIdleTurn(in lifecycle.Input, out lifecycle.Output, placed map[string]int) {
	status := out.State.Framework()
	live := (status.State == v1.AttemptPreparing || status.State == v1.AttemptRunning) && !in.Framework.Deleting && showsConfigMap(in.Observed, status) &&
		in.Observed.ConfigMap.Gone != *status.AttemptStatus.ConfigMapUID
	restarting := map[string]bool{}
	eachTask(out.State, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		if mark := takesPartIn(t); mark != nil && t.State != v1.Completed && !t.DeletionPending {
			restarting[ref.Role] = true
			restarting[""] = restarting[""] || mark.Scope == v1.RestartFramework
		}
	})
	eachTask(out.State, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		kept := heldBack(in.Framework.Spec, status.Gates, ref.Role) || in.Saved != nil && heldBack(in.Framework.Spec, in.Saved.Framework().Gates, ref.Role) ||
			restarting[ref.Role] || restarting[""]
		if live && t.AttemptStatus.AwaitsTurn && !kept && placed[ref.Role] < naiveTurns(in.Framework.Spec, ref.Role) {
			c.violationf("turns: none stays empty", "%s waits: %s", ref, text(out.State.Status()))
		}
	})
}

// lawPodsAtOnce: the cluster never has more Pods of a role than the highest parallelism of the role in this attempt. Pods of requests that
// arrived late exist only to disappear again, and held Pods run nothing.
func (c *checker) lawPodsAtOnce() {
	uid, exists := c.story.Framework()
	if !exists || c.stored == nil || uid != c.framework {
		return
	}
	spec := c.story.Spec()
	pods := map[string]int{}
	for _, pod := range c.story.Pods() {
		if !pod.Late && !pod.Foreign && !pod.WasHeld {
			pods[pod.Task.Role]++
		}
	}
	attempt := c.stored.Framework().AttemptStatus.ID
	for i := range spec.TaskRoles {
		role := spec.TaskRoles[i].Name
		key := fmt.Sprint(uid, attempt, role)
		// One attempt may begin while the controller has not seen an edit yet.
		c.most[key] = max(c.most[key], naiveTurns(spec, role), c.most[fmt.Sprint(uid, attempt-1, role)])
		if pods[role] > c.most[key] {
			c.violationf("turns: no more Pods than parallelism", "%d of role %s, and at most %d may be there: %s", pods[role], role, c.most[key], text(c.stored.Status()))
		}
	}
}

// waitsForOthers reports whether a Task waits while all turns of its role are taken.
func (c *checker) waitsForOthers(ref lifecycle.TaskRef, task *v1.TaskStatus) bool {
	placed := 0
	eachTask(c.stored, func(other lifecycle.TaskRef, t *v1.TaskStatus) {
		if other.Role == ref.Role && hasTurn(t) {
			placed++
		}
	})
	return task.AttemptStatus.AwaitsTurn && placed >= naiveTurns(c.spec, ref.Role)
}
