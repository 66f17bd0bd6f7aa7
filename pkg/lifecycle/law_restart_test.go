package lifecycle_test

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawRestart: those are drawn along that a failure is to draw, and no others; none of them begins before all have ended; and
// it costs them nothing.
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
		if move.Retry == "R0b" || move.Retry == "RR" {
			c.lawFree(in, out, *move.Task)
		}
	}
	c.lawRoleRetries(in, out)
}

// lawRoleRetries: a role starts again by its own policy only when one of its Tasks has failed and has no retry of its own, it is
// counted once, and never more often than the policy allows.
func (c *checker) lawRoleRetries(in lifecycle.Input, out lifecycle.Output) {
	again := map[string]bool{}
	for _, move := range out.Moves {
		if move.Retry != "RR" {
			continue
		}
		again[move.Task.Role] = true
		before := in.Saved.Task(*move.Task)
		policy, _ := taskPolicy(in.Framework.Spec, move.Task.Role)
		ended := lifecycle.TaskEnding(&before.AttemptStatus, in.Now)
		if lifecycle.DecideRetry(policy, before.RetryPolicyStatus, ended).Retry || before.DeletionPending || ended.Status.Type.Name != "Failed" ||
			before.AttemptStatus.Restart == nil || policy.FancyRetryPolicy && slices.Contains(ended.Status.Type.Attributes, "Permanent") {
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
		if now.RetriedCount != raised || again[name] && !roleRetriesLeft(in, name) {
			c.violationf("a role starts again within its budget, and each time is counted", "role %s: %d -> %d", name, was.RetriedCount, now.RetriedCount)
		}
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

// lawDrawn: a mark is there because of a Task in its scope that has failed, and whose policy, or plugin, says so. A mark is
// never taken back or narrowed.
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
	cause := out.State.Task(lifecycle.TaskRef{Role: is.TaskRoleName, Index: is.TaskIndex})
	byRole := is.Scope == "Role" && roleRetriesLeft(in, is.TaskRoleName)
	if cause == nil || cause.AttemptStatus.CompletionStatus == nil || naiveScope(in.Framework.Spec, is.TaskRoleName, cause) != is.Scope && !byRole {
		c.violationf("restart: in the scope that is asked for", "%s: %s because of %s", ref, text(is), text(cause))
	}
	live := out.State.Framework().AttemptStatus.CompletionStatus == nil
	eachTask(out.State, func(other lifecycle.TaskRef, peer *v1.TaskStatus) {
		inScope := is.Scope == "Framework" || other.Role == ref.Role
		if live && inScope && !peer.DeletionPending && peer.State != v1.Completed && peer.AttemptStatus.Restart == nil {
			c.violationf("restart: all in scope are marked", "%s, but not %s", ref, other)
		}
	})
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
	if begins == nil || begins.AttemptStatus.Restart == nil || begins.DeletionPending || out.State.Task(ref).DeletionPending {
		return
	}
	scope := begins.AttemptStatus.Restart.Scope
	eachTask(in.Saved, func(other lifecycle.TaskRef, peer *v1.TaskStatus) {
		mark := peer.AttemptStatus.Restart
		if mark == nil || mark.Scope != scope || scope == "Role" && other.Role != ref.Role || peer.DeletionPending || peer.State == v1.Completed {
			return
		}
		after := out.State.Task(other)
		if after == nil || after.DeletionPending || after.State == v1.Completed {
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

// lawFree: who was drawn along pays nothing, and neither does one for whom the role pays.
func (c *checker) lawFree(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef) {
	before, after := in.Saved.Task(ref).RetryPolicyStatus, out.State.Task(ref).RetryPolicyStatus
	before.TotalRetriedCount++
	before.RetryDelaySec = nil
	if text(before) != text(after) {
		c.violationf("restart: costs those nothing that are drawn along", "%s: %s -> %s", ref, text(before), text(after))
	}
}

// lawEarlier: of a Task the last attempts are kept, in order, without a gap; and what is kept of one stays.
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
