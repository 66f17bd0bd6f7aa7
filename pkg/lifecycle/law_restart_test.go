package lifecycle_test

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// lawRestart: a failure restarts exactly the Tasks in its scope; none of them begins before all have ended; and the restart costs
// them nothing.
func (c *checker) lawRestart(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil || in.Saved.Framework().AttemptStatus.ID != out.State.Framework().AttemptStatus.ID {
		return
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if before := in.Saved.Task(ref); before != nil && sameAttempt(before, task) {
			c.lawDrawn(in, out, ref, before, task)
		}
	})
	for _, move := range out.Moves {
		if move.Row == "T12" {
			c.lawBegins(in, out, *move.Task)
		}
		if move.Row == "T13" {
			c.lawGoesOn(in, out, *move.Task)
		}
		if move.Retry == "R0b" || move.Retry == "RR" {
			c.lawFree(in, out, *move.Task)
		}
	}
	c.lawRoleRetries(in, out)
}

// lawRoleRetries: a role restarts by its own policy only if one of its Tasks has failed and has no retry left; the restart is
// counted once, and never exceeds the policy.
func (c *checker) lawRoleRetries(in lifecycle.Input, out lifecycle.Output) {
	again, decided := map[string]bool{}, map[string]bool{}
	for _, move := range out.Moves {
		if move.Retry != "RR" {
			continue
		}
		again[move.Task.Role] = true
		before := in.Saved.Task(*move.Task)
		decided[move.Task.Role] = decided[move.Task.Role] || before.AttemptStatus.Restart != nil && before.AttemptStatus.Restart.ByRole
		policy, _ := taskPolicy(in.Framework.Spec, move.Task.Role)
		ended := retry.EndingOf(&before.AttemptStatus, in.Now)
		decided := ownRestart(*move.Task, before) != nil && before.AttemptStatus.Restart.ByRole // when it failed
		own := &v1.TaskRoleSpec{Task: v1.TaskSpec{RetryPolicy: policy}}
		raised := policy.OnOOM != nil && slices.ContainsFunc(ended.Memory, func(c v1.MemoryChange) bool { return c.To != "" })
		if !decided && retry.Decide(retry.OfFailure(own, 0, before.RetryPolicyStatus, ended)).Retry || before.DeletionPending || ended.Status.Type.Name != "Failed" ||
			before.AttemptStatus.Restart == nil || !decided && policy.FancyRetryPolicy && !raised && slices.Contains(ended.Status.Type.Attributes, "Permanent") {
			c.violationf("a role starts again when a Task has no retry left", "%s: %s, with %s", move.Task, text(before), text(policy))
		}
	}
	for _, name := range out.State.Roles() {
		now, _ := out.State.Role(name)
		was, found := in.Saved.Role(name)
		if !found || was.InstanceUID != now.InstanceUID {
			was.RetriedCount = 0
		}
		raised := was.RetriedCount
		if again[name] {
			raised++
		}
		if now.RetriedCount != raised || again[name] && !decided[name] && !roleRetriesLeft(in, name) {
			c.violationf("a role starts again within its budget, and each time is counted", "role %s: %d -> %d", name, was.RetriedCount, now.RetriedCount)
		}
	}
}

// ownRestart returns the restart begun by a Task's own failure; nil if there is none.
func ownRestart(ref lifecycle.TaskRef, t *v1.TaskStatus) *v1.TaskRestart {
	if r := t.AttemptStatus.Restart; r != nil && r.TaskRoleName == ref.Role && r.TaskIndex == ref.Index {
		return r
	}
	return nil
}

// lawGoesOn: the Task for which others have ended their attempts is retried, whatever has become of the policy, unless
// it is removed, or the attempt of the Framework ends.
func (c *checker) lawGoesOn(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef) {
	before, after := in.Saved.Task(ref), out.State.Task(ref)
	if before == nil || after == nil || ownRestart(ref, before) == nil || before.State == v1.Completed || after.DeletionPending {
		return
	}
	if _, found := taskPolicy(in.Framework.Spec, ref.Role); found && out.State.Framework().AttemptStatus.CompletionStatus == nil {
		c.violationf("restart: who has begun it takes part", "%s: %s", ref, text(before))
	}
}

// roleRetriesLeft reports whether the role may start again by its own policy.
func roleRetriesLeft(in lifecycle.Input, name string) bool {
	role, _ := in.Saved.Role(name)
	for _, spec := range in.Framework.Spec.TaskRoles {
		if spec.Name == name {
			return spec.RetryPolicy != nil && (spec.RetryPolicy.MaxRetryCount == -1 || role.RetriedCount < spec.RetryPolicy.MaxRetryCount)
		}
	}
	return false
}

func sameAttempt(a, b *v1.TaskStatus) bool {
	return a.InstanceUID == b.InstanceUID && a.AttemptStatus.ID == b.AttemptStatus.ID
}

// lawDrawn: a restart mark is there because a Task in its scope has failed and its policy, or a plugin, asks for the restart. A
// mark is never removed or narrowed. The mark of a Task that has begun a restart stays its own when another one widens it.
func (c *checker) lawDrawn(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef, before, task *v1.TaskStatus) {
	was, is := before.AttemptStatus.Restart, task.AttemptStatus.Restart
	outcome := task.AttemptStatus.CompletionStatus
	if peer := outcome != nil && outcome.Phrase == "RestartedWithPeers"; peer && is == nil {
		c.violationf("restart: -240 is marked", "%s", text(task))
	}
	if text(was) == text(is) {
		return
	}
	if is == nil || outcome == nil || before.DeletionPending || was != nil && (was.Scope != "Role" || is.Scope != "Framework") {
		c.violationf("restart: marks", "%s: %s -> %s", ref, text(before), text(task))
		return
	}
	if is.Scope == "Role" && is.TaskRoleName != ref.Role {
		c.violationf("restart: of a role touches no other", "%s: %s", ref, text(is))
	}
	if own := ownRestart(ref, before); own != nil {
		if ownRestart(ref, task) == nil || own.ByRole != is.ByRole || !c.widens(in, out, ref) {
			c.violationf("restart: only the scope of an own one changes", "%s: %s -> %s", ref, text(before), text(task))
		}
		return
	}
	cause := out.State.Task(lifecycle.TaskRef{Role: is.TaskRoleName, Index: is.TaskIndex})
	byRole := is.Scope == "Role" && roleRetriesLeft(in, is.TaskRoleName)
	widened := is.Scope == "Framework" && ownRestart(ref, task) != nil && c.widens(in, out, ref) // in the round in which it has failed
	if cause == nil || cause.AttemptStatus.CompletionStatus == nil || naiveScope(in.Framework.Spec, is.TaskRoleName, cause) != is.Scope && !byRole && !widened {
		c.violationf("restart: in the scope that is asked for", "%s: %s because of %s", ref, text(is), text(cause))
	}
	live := out.State.Framework().AttemptStatus.CompletionStatus == nil
	eachTask(out.State, func(other lifecycle.TaskRef, peer *v1.TaskStatus) {
		inScope := is.Scope == "Framework" || other.Role == ref.Role
		comesLater := peer.State == v1.AttemptCreationPending && (heldBack(in.Framework.Spec, in.Saved.Framework().Gates, other.Role) || peer.InstanceUID == "")
		if live && inScope && !peer.DeletionPending && peer.State != v1.Completed && takesPartIn(peer) == nil && !comesLater {
			c.violationf("restart: all in scope are marked", "%s, but not %s", ref, other)
		}
	})
}

// widens reports whether another Task than that has a failure for which the whole Framework starts again.
func (c *checker) widens(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef) (found bool) {
	eachTask(out.State, func(other lifecycle.TaskRef, peer *v1.TaskStatus) {
		ended := peer.AttemptStatus.CompletionStatus != nil
		found = found || other != ref && ended && ownRestart(other, peer) != nil && naiveScope(in.Framework.Spec, other.Role, peer) == v1.RestartFramework
	})
	return found
}

// takesPartIn returns the restart that a Task takes part in, be it that it only waits for it.
func takesPartIn(t *v1.TaskStatus) *v1.TaskRestart {
	if t.AttemptStatus.AwaitedRestart != nil {
		return &t.AttemptStatus.AwaitedRestart.TaskRestart
	}
	return t.AttemptStatus.Restart
}

// lawNothingToRestart: an attempt without a Pod is neither ended nor counted by a restart. It only waits for it, from the mark
// to the common begin, and no Pod that was there in between becomes its own.
func (c *checker) lawNothingToRestart(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		return
	}
	for _, move := range out.Moves {
		if move.Row != "T2" {
			continue
		}
		if task := out.State.Task(*move.Task); task != nil && task.AttemptStatus.CompletionStatus.Phrase == "RestartedWithPeers" {
			c.violationf("restart: without a Pod there is nothing to end", "%s", text(task))
		}
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		awaits := task.AttemptStatus.AwaitedRestart != nil
		if awaits && (task.State != v1.AttemptCreationPending || task.AttemptStatus.CompletionStatus != nil || task.AttemptStatus.PodUID != nil) {
			c.violationf("restart: only who has no Pod waits for one", "%s: %s", ref, text(task))
		}
		before := in.Saved.Task(ref)
		if before == nil || !sameAttempt(before, task) {
			return
		}
		waited := before.AttemptStatus.AwaitedRestart
		if waited != nil && !awaits && task.AttemptStatus.CompletionStatus == nil && !waited.NoPod {
			c.violationf("restart: a Pod from before it is gone for certain", "%s: %s", ref, text(before))
		}
		if uid := task.AttemptStatus.PodUID; uid != nil && c.outdated[task.InstanceUID+string(*uid)] {
			c.violationf("restart: no Pod from before it goes on", "%s: %s", ref, text(task))
		}
	})
}

// noteOutdated notes the Pods that exist while their Tasks wait for a restart.
func (c *checker) noteOutdated() {
	if c.stored == nil {
		return
	}
	for _, pod := range c.story.Pods() {
		task := c.stored.Task(pod.Task)
		if task != nil && task.AttemptStatus.AwaitedRestart != nil && task.InstanceUID == pod.TaskUID && !pod.Late {
			c.outdated[pod.TaskUID+string(pod.UID)] = true
		}
	}
}

func naiveScope(spec *v1.FrameworkSpec, role string, failed *v1.TaskStatus) v1.RestartScope {
	s := failed.AttemptStatus.CompletionStatus
	if s.Type.Name != "Failed" || s.Phrase == "RestartedWithPeers" {
		return ""
	}
	if s.Advice != nil && s.Advice.Restart != "" {
		return s.Advice.Restart
	}
	policy, _ := taskPolicy(spec, role)
	return policy.Restart
}

// lawBegins: if a Task starts again with others, all of them have ended, that is stored, their delays are over, and they
// begin at the same time.
func (c *checker) lawBegins(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef) {
	begins := in.Saved.Task(ref)
	if begins == nil || takesPartIn(begins) == nil || begins.DeletionPending || out.State.Task(ref).DeletionPending {
		return
	}
	scope := takesPartIn(begins).Scope
	eachTask(in.Saved, func(other lifecycle.TaskRef, peer *v1.TaskStatus) {
		mark := takesPartIn(peer)
		if mark == nil || mark.Scope != scope || scope == "Role" && other.Role != ref.Role || peer.DeletionPending || peer.State == v1.Completed {
			return
		}
		after := out.State.Task(other)
		if after == nil || after.DeletionPending || after.State == v1.Completed {
			return
		}
		if peer.AttemptStatus.AwaitedRestart != nil {
			if !peer.AttemptStatus.AwaitedRestart.NoPod || after.AttemptStatus.AwaitedRestart != nil {
				c.violationf("restart: all begin when all have ended", "%s begins, and %s waits: %s", ref, other, text(peer))
			}
			return
		}
		if peer.State != v1.AttemptCompleted || after.AttemptStatus.ID != peer.AttemptStatus.ID+1 {
			c.violationf("restart: all begin when all have ended", "%s begins, and %s is %s", ref, other, text(peer))
		}
		if d := peer.RetryPolicyStatus.RetryDelaySec; d != nil && in.Now.Truncate(time.Second).Before(peer.TransitionTime.Add(time.Duration(*d)*time.Second)) {
			c.violationf("restart: not before the last delay is over", "%s begins, and %s waits", ref, other)
		}
	})
}

// lawFree: a Task restarted along with another pays nothing, nor does a Task for which its role pays.
func (c *checker) lawFree(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef) {
	before, after := in.Saved.Task(ref).RetryPolicyStatus, out.State.Task(ref).RetryPolicyStatus
	before.TotalRetriedCount++
	before.RetryDelaySec = nil
	if text(before) != text(after) {
		c.violationf("restart: costs those nothing that are drawn along", "%s: %s -> %s", ref, text(before), text(after))
	}
}

// lawEarlier: the last attempts of a Task are kept, in order, without a gap; a kept record never changes.
func (c *checker) lawEarlier(in lifecycle.Input, out lifecycle.Output) {
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		kept := task.EarlierAttempts
		if len(kept) != min(int(task.AttemptStatus.ID), v1.MaxEarlierAttempts) {
			c.violationf("earlier attempts are kept", "%s: %d of %d", ref, len(kept), task.AttemptStatus.ID)
			return
		}
		for i, a := range kept {
			if int(a.ID) != int(task.AttemptStatus.ID)-len(kept)+i {
				c.violationf("earlier attempts are in order", "%s: %s", ref, text(kept))
			}
		}
		if before := in.Saved; before != nil && before.Task(ref) != nil && before.Task(ref).InstanceUID == task.InstanceUID {
			was := before.Task(ref).EarlierAttempts
			if n := len(kept); sameAttempt(before.Task(ref), task) && text(was) != text(kept) ||
				n > 1 && !sameAttempt(before.Task(ref), task) && text(was[len(was)-(n-1):]) != text(kept[:n-1]) {
				c.violationf("what is kept of an attempt stays", "%s: %s -> %s", ref, text(was), text(kept))
			}
		}
	})
}
