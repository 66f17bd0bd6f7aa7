package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// tally counts the Tasks of one role, so that decisions about all of them need not look at each. Tasks that a
// scale-down is removing have no say, and are counted apart.
type tally struct {
	total      int // Tasks that are not being removed
	running    int // of them, those in AttemptRunning
	succeeded  int // of them, those in Completed with success
	failed     int // of them, those in Completed without
	cutShort   int // of them, those that did not fail by themselves; see cutShort
	addressed  int // of them, those whose current Pod has an IP; see addressed
	ready      int // of them, those in AttemptRunning whose Pod has been ready; known only where somebody waits for that
	placed     int // of them, those that a gang need not wait for; see placed
	removable  int // Tasks being removed that are in Completed
	restarting int // of all others, those that start again together with more; see restarting
	// of the Tasks in restarting, the ones whose whole Framework restarts
	restartingAll int
	waiting       int // of total, those that wait for a turn; see awaitsTurn
	waitingAgain  int // of waiting, those that are retried
	holding       int // Tasks that have a turn, even if they are being removed; see hasTurn
	raised        int // MiB of memory that Tasks have learned to need, except Tasks that are being removed
}

func (c tally) completed() int { return c.succeeded + c.failed }

// atOnce counts the Tasks as if there were only as many as may run at once. Completed Tasks stand for others that came after them, so
// that a gang or a gate that waits for a role does not close again when its next Task begins.
func (c tally) atOnce(most int) tally {
	c.total = min(c.total, most)
	c.addressed, c.placed, c.running = min(c.addressed, c.total), min(c.placed, c.total), min(c.running, c.total)
	c.succeeded = min(c.succeeded, c.total-c.running)
	c.failed = min(c.failed, c.total-c.running-c.succeeded)
	return c
}

// progress is the progress for which other roles may wait.
func (c tally) progress() gates.Progress {
	return gates.Progress{Addressed: c.addressed, Running: c.running, Ready: c.ready, Completed: c.completed(), Succeeded: c.succeeded}
}

// Reached returns how many Tasks of a role have advanced so far that others may start after them.
func Reached(role *v1.TaskRoleStatus, when v1.StartWhen) int {
	var c tally
	for i := range role.TaskStatuses {
		c.add(&role.TaskStatuses[i])
	}
	return c.progress().Reached(when)
}

func (c *tally) add(t *v1.TaskStatus)    { c.count(t, 1) }
func (c *tally) remove(t *v1.TaskStatus) { c.count(t, -1) }

func (c *tally) count(t *v1.TaskStatus, n int) {
	if hasTurn(t) {
		c.holding += n
	}
	if t.DeletionPending {
		if t.State == v1.Completed {
			c.removable += n
		}
		return
	}
	c.total += n
	if len(t.Memory) > 0 {
		c.raised += n * int(memory.MiB(t.Memory))
	}
	if retry.Restarting(t) {
		c.restarting += n
		if retry.RestartOf(t).Scope == v1.RestartFramework {
			c.restartingAll += n
		}
	}
	if awaitsTurn(t) {
		c.waiting += n
		if !awaitsFirstTurn(t) {
			c.waitingAgain += n
		}
	}
	if addressed(t) {
		c.addressed += n
	}
	if placed(t) {
		c.placed += n
	}
	switch {
	case t.State == v1.AttemptRunning:
		c.running += n
		if t.AttemptStatus.ReadyTime != nil {
			c.ready += n
		}
	case t.State == v1.Completed && succeeded(t):
		c.succeeded += n
	case t.State == v1.Completed:
		c.failed += n
		if cutShort(t) {
			c.cutShort += n
		}
	}
}

// addressed reports whether the Task has an address that others may use. While it waits for its retry, its Pod is gone
// for certain, and there will be another one; and if it starts again with others, its Pod is about to go.
func addressed(t *v1.TaskStatus) bool {
	ip := t.AttemptStatus.PodIP
	return ip != nil && *ip != "" && t.RetryPolicyStatus.RetryDelaySec == nil && !retry.Restarting(t)
}

// placed reports whether the Task has a node, has had one that was good enough to run on, or no longer needs one.
func placed(t *v1.TaskStatus) bool {
	node := t.AttemptStatus.PodNodeName
	return node != nil && *node != "" || t.RunTime != nil || t.State == v1.Completed
}

func succeeded(t *v1.TaskStatus) bool {
	s := t.AttemptStatus.CompletionStatus
	return s != nil && s.Type.Name == v1.CompletionSucceeded
}

// cutShort reports whether a Task that has completed had not ended by itself when its attempt of the Framework did.
func cutShort(t *v1.TaskStatus) bool {
	s := t.AttemptStatus.CompletionStatus
	return s != nil && completion.IsPredefined(s.CompletionStatus, completion.CodeFrameworkAttemptCompletion)
}

func (c *tally) merge(other tally) {
	c.total += other.total
	c.running += other.running
	c.succeeded += other.succeeded
	c.failed += other.failed
	c.cutShort += other.cutShort
	c.addressed += other.addressed
	c.ready += other.ready
	c.placed += other.placed
	c.removable += other.removable
	c.restarting += other.restarting
	c.restartingAll += other.restartingAll
	c.waiting += other.waiting
	c.waitingAgain += other.waitingAgain
	c.holding += other.holding
	c.raised += other.raised
}
