package lifecycle

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Tasks that work together often cannot continue when one of them has restarted. With a restart scope, all Tasks of the role, or
// of the Framework, restart with it: they are marked (attemptStatus.restart), running attempts end, and the next ones begin
// together when the last of them has ended. The marks are stored with the failure, and contain all that is needed to continue
// after a crash; a later edit of the policy does not affect a restart that is under way.
//
// A Task without a Pod has nothing to restart. Its attempt goes on, and only its Pod waits for the others
// (attemptStatus.awaitedRestart), so that it meets none of their old Pods. A role that is held back takes no part.
//
// A role with a retryPolicy restarts in the same way when a Task has used up its own retries. The restart is counted once,
// however many Tasks have failed, and only when the next attempts begin: until then the table gives the same result for each of
// them.

// drawPeers marks a Task whose failure is to be retried together with others. The others follow at the end of the round, since a
// Task without news moves in no other way.
func (t task) drawPeers() {
	scope := t.restartScope()
	if scope != v1.RestartRole && scope != v1.RestartFramework {
		return
	}
	byRole := retry.Decide(t.retryCase()).Role
	t.update(func(s *v1.TaskStatus) {
		s.AttemptStatus.Restart = &v1.TaskRestart{Scope: scope, TaskRoleName: t.role.name, TaskIndex: t.index, ByRole: byRole}
	})
	t.r.drawing = append(t.r.drawing, t)
}

// restartScope returns the scope of the Task's failure; the Task alone if no other can restart with it.
func (t task) restartScope() v1.RestartScope {
	s := t.status()
	if s.AttemptStatus.Restart != nil || s.DeletionPending || t.role.spec == nil || t.r.completing() || t.r.in.Framework.Deleting {
		return v1.RestartTask
	}
	return retry.Decide(t.retryCase()).Restart
}

// restartTogether restarts others along with Tasks that have failed in this round, and begins the next attempts of groups whose
// attempts have all ended.
func (r *round) restartTogether() {
	if r.completing() {
		return
	}
	for _, t := range r.drawing {
		r.drawAlong(t)
	}
	r.drawing = nil
	if r.tally().restarting == 0 {
		return
	}
	var all []task
	for _, role := range r.roles {
		inFramework, inRole := role.restarting(r, v1.RestartFramework), role.restarting(r, v1.RestartRole)
		if len(inFramework) == 0 {
			r.beginTogether(inRole)
			continue
		}
		// One that was added since may have failed. The role starts again as a whole, so both restarts wait for each other.
		all = append(append(all, inFramework...), inRole...)
	}
	r.beginTogether(all)
}

// drawAlong ends the attempts of all Tasks that are to restart with a failed one.
func (r *round) drawAlong(failed task) {
	restart := failed.status().AttemptStatus.Restart
	drawn := 0
	for peer := range r.tasks {
		if restart.Scope == v1.RestartRole && peer.role != failed.role {
			continue
		}
		if s := peer.status(); !s.DeletionPending && s.State != v1.Completed && peer.draw(restart, failed) {
			drawn++
		}
	}
	byRole := failed.roleStep()
	var what string
	switch {
	case drawn == 1:
		what = fmt.Sprintf("1 other Task of %s starts again with it", scopeText(restart))
	case drawn > 0:
		what = fmt.Sprintf("%d other Tasks of %s start again with it", drawn, scopeText(restart))
	case byRole != "": // nobody else is left to be drawn along
		what = scopeText(restart) + " starts again"
	default:
		return
	}
	ended := summary(failed.status().AttemptStatus.CompletionStatus.CompletionStatus)
	r.report(Event{Reason: reason.PeersRestarted, Facts: failed.facts(nil), Message: fmt.Sprintf("Task %s: %s: %s%s", failed.ref(), ended, what, byRole)})
}

// roleStep reports that the role of the Task restarts by its own policy; empty if it does not.
func (t task) roleStep() string {
	text := retry.RoleSentence(t.role.spec, t.role.retried, t.retryCase())
	if text == "" {
		return ""
	}
	return ". " + text
}

// draw marks the Task, and ends its attempt unless it has ended; ended reports that it did so. A mark is never narrowed. If the
// Task has begun a restart by its own failure, and a wider one draws it along, only the scope changes: its retry, and the policy
// that pays for it, stay settled.
func (t task) draw(restart *v1.TaskRestart, failed task) (ended bool) {
	if t.status().State == v1.AttemptCreationPending && t.undecided() {
		t.drawWithoutPod(restart)
		return false
	}
	if mark := t.status().AttemptStatus.Restart; mark == nil || mark.Scope == v1.RestartRole && restart.Scope == v1.RestartFramework {
		next := *restart
		if own := retry.OwnRestart(t.role.name, t.status()); own != nil {
			next = *own
			next.Scope = restart.Scope
		}
		t.update(func(s *v1.TaskStatus) { s.AttemptStatus.Restart = &next })
	}
	if !t.undecided() {
		return false
	}
	t.decideCode(completion.CodeRestartedWithPeers, diagnosticsRestarted(failed, restart))
	if state := t.status().State; state == v1.AttemptPreparing || state == v1.AttemptRunning {
		t.move(&t8)
	}
	t.r.createNot(t.ref())
	t.r.requeue(t.ref())
	return true
}

// drawWithoutPod lets a Task whose attempt has no Pod, as far as is known, wait for a restart. A Task that never had a turn certainly
// has none, and gets no turn before the restart is over (giveTurns).
func (t task) drawWithoutPod(restart *v1.TaskRestart) {
	if t.r.heldBack(t.role) || t.unborn() {
		return
	}
	next := v1.AwaitedRestart{TaskRestart: *restart}
	if awaited := t.status().AttemptStatus.AwaitedRestart; awaited != nil {
		if awaited.Scope == v1.RestartFramework || awaited.Scope == restart.Scope {
			return
		}
		next.NoPod = awaited.NoPod
	}
	t.update(func(s *v1.TaskStatus) { s.AttemptStatus.AwaitedRestart = &next })
	t.r.createNot(t.ref())
	t.r.requeue(t.ref())
}

// awaitsRestart reports whether the Task has no Pod, and gets one together with others that restart.
func (t task) awaitsRestart() bool {
	return t.status().AttemptStatus.AwaitedRestart != nil && t.restarting()
}

// awaitRestart makes sure that no Pod of the attempt exists: one may have been created without our knowledge, and would have met
// the old Pods of the others.
func (t task) awaitRestart() {
	t.r.holdTask(t, &t5b)
	switch {
	case t.status().AttemptStatus.AwaitedRestart.NoPod:
	case t.leftover() && !t.view().Pod.Held(): // clearName
	case !t.view().Asked:
		t.r.do(ReadPod{t.ref()})
	default:
		t.update(func(s *v1.TaskStatus) {
			s.AttemptStatus.AwaitedRestart = &v1.AwaitedRestart{TaskRestart: s.AttemptStatus.AwaitedRestart.TaskRestart, NoPod: true}
		})
	}
}

// beginAfterRestart releases the Pod of a Task that has waited for others.
func (t task) beginAfterRestart() {
	t.update(func(s *v1.TaskStatus) { s.AttemptStatus.AwaitedRestart = nil })
}

func diagnosticsRestarted(failed task, restart *v1.TaskRestart) string {
	return fmt.Sprintf("Task %s has failed (%s), and %s starts again with it%s",
		failed.ref(), summary(failed.status().AttemptStatus.CompletionStatus.CompletionStatus), scopeText(restart), failed.roleStep())
}

func scopeText(restart *v1.TaskRestart) string {
	if restart.Scope == v1.RestartRole {
		return "role " + restart.TaskRoleName
	}
	return "the Framework"
}

// createNot takes back the creation of a Pod that was asked for in this round.
func (r *round) createNot(ref TaskRef) {
	for i, a := range r.out.Actions {
		if create, ok := a.(CreatePod); ok && create.Task == ref {
			r.out.Actions = append(r.out.Actions[:i:i], r.out.Actions[i+1:]...)
			return
		}
	}
}

// restarting reports whether the Task is one of several that restart together. A Task that a scale-down removes leaves the group,
// and so do all when the attempt of the Framework ends.
func (t task) restarting() bool {
	return retry.Restarting(t.status()) && !t.r.completing()
}

// restarting lists the Tasks of a role that start again with others in that scope.
func (d *roleDraft) restarting(r *round, scope v1.RestartScope) (group []task) {
	if d.tally.restarting == 0 {
		return nil
	}
	for i, t := range d.tasks {
		if retry.Restarting(t) && retry.RestartOf(t).Scope == scope {
			group = append(group, task{r, d, int32(i)})
		}
	}
	return group
}

// beginTogether begins the next attempts of a group once the previous ones are gone, that is stored, the last delay is over, and
// all are archived.
func (r *round) beginTogether(group []task) {
	var due time.Time
	for _, t := range group {
		if awaited := t.status().AttemptStatus.AwaitedRestart; awaited != nil && awaited.NoPod {
			continue
		}
		if t.status().State != v1.AttemptCompleted {
			return
		}
		if at := t.retryTime(); at.After(due) {
			due = at
		}
	}
	if len(group) == 0 || r.in.Framework.Deleting {
		return
	}
	if r.now.Time.Before(due) {
		r.wakeAt(due)
		return
	}
	for _, t := range group {
		if !t.isStored() {
			r.requeue(t.ref())
			return
		}
	}
	archived := true
	for _, t := range group {
		archived = (t.awaitsRestart() || t.archive()) && archived
	}
	if !archived {
		return
	}
	again := map[*roleDraft]bool{} // roles that start again by their own policy
	for _, t := range group {
		if t.awaitsRestart() {
			t.beginAfterRestart()
			t.r.requeue(t.ref())
			continue
		}
		d := retry.Decide(t.retryCase())
		again[t.role] = again[t.role] || d.Role
		t.retry(d)
		r.requeue(t.ref())
	}
	for role, is := range again {
		if is {
			role.retried++
		}
	}
}
