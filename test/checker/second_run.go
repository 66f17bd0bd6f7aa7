package checker

import "k8s.io/apimachinery/pkg/types"

// secondRun holds P5 as far as Pods go, "crash at any point and restart converges ..., modulo one extra Pod run": an
// attempt of a Task gets another Pod only if others took the first one away before its creation was recorded, or the
// controller did, because the Task waits for a restart of others, whose old Pods this one must not meet. Where others do not take Pods away
// (Options.Undisturbed), it gets none.
type secondRun struct {
	first    map[taskAttempt]types.UID
	recorded map[types.UID]bool
	// early were created without the controller's knowledge before a restart that their Tasks waited for when they were deleted.
	early map[types.UID]bool
}

func (r *secondRun) see(t *replay, c change) {
	if r.first == nil {
		r.first, r.recorded, r.early = map[taskAttempt]types.UID{}, map[types.UID]bool{}, map[types.UID]bool{}
	}
	switch {
	case c.framework != nil && c.framework.after != nil:
		for _, task := range c.framework.after.tasks {
			if uid := task.AttemptStatus.PodUID; uid != nil {
				r.recorded[*uid] = true
			}
		}
	case c.pod != nil && c.pod.before == nil && c.pod.after.made.ours():
		r.created(t, c)
	case c.pod != nil && c.pod.before != nil && c.pod.before.DeletionTimestamp == nil && (c.pod.after == nil || c.pod.after.DeletionTimestamp != nil):
		r.deleted(t, c)
	}
}

func (r *secondRun) deleted(t *replay, c change) {
	p := c.pod.before
	f := t.frameworkOf(c.name.Namespace, p.made.framework, p.made.frameworkUID)
	if f == nil {
		return
	}
	if task := f.tasks[p.made.place]; task != nil && task.AttemptStatus.AwaitedRestart != nil && attemptOf(task) == p.made.attempt() {
		r.early[p.UID] = true
	}
}

func (r *secondRun) created(t *replay, c change) {
	attempt := c.pod.after.made.attempt()
	if first, again := r.first[attempt]; again {
		t.hold(NoSecondRun, c.subject(), !t.undisturbed || r.early[first], "created again in attempt %s of its Task, after Pod %s", attempt.attempt, first)
		t.hold(NoSecondRun, c.subject(), !r.recorded[first], "created in attempt %s of its Task, for which Pod %s is recorded",
			attempt.attempt, first)
		by := t.audit.deleters("pods", first)
		t.hold(NoSecondRun, c.subject(), by != byController || r.early[first],
			"created in attempt %s of its Task, whose Pod %s the controller has deleted itself", attempt.attempt, first)
	} else {
		t.hold(NoSecondRun, c.subject(), true, "")
	}
	r.first[attempt] = c.pod.after.UID
}
