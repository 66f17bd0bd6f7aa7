package retry

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
)

// Case is an attempt that has ended, or is taken to end, with everything that decides on a retry. Nothing that it refers to is
// changed.
type Case struct {
	// Policy of the Framework or of the Task, as it is now.
	Policy v1.RetryPolicySpec
	// Counters of the Framework or of the Task, before a retry.
	Counters v1.RetryPolicyStatus
	Ended    Ending
	// RoleHasRetry: the Task belongs to a role that may start again when the Task has used up its own retries.
	RoleHasRetry bool
	// RoleRestarts: the role of the Task starts again, as was decided when the Task failed.
	RoleRestarts bool
	// MemoryRaised: the policy raises the memory that the Task lacked, so the type of the failure predicts nothing about the next
	// attempt.
	MemoryRaised bool
	// Settled: another attempt follows, even if the current policy would not allow it: a delay is stored for it, or other Tasks have
	// ended their attempts for it.
	Settled bool
	// PauseSec is how many seconds a retry waits at least, since Pods did not run of late; see PauseSec.
	PauseSec int64
	// Conflict draws the delay that follows a conflict; nil for a Task, which waits for its backoff.
	Conflict *ConflictDelay
}

// Ending is how an attempt has ended, as far as a retry policy looks at it.
type Ending struct {
	Status v1.CompletionStatus
	// Advice of the plugin that has judged the failure of a Task; nil if there is none.
	Advice *v1.RetryAdvice
	// Memory has the containers of a Task that lacked memory, and whether later Pods get more.
	Memory []v1.MemoryChange
	// Time at which the attempt ended.
	Time time.Time
}

// EndingOf returns how the attempt of a Task ended, which has a completion status. Its time is now if the attempt has not
// completed yet.
func EndingOf(a *v1.TaskAttemptStatus, now time.Time) Ending {
	e := Ending{Status: a.CompletionStatus.CompletionStatus, Advice: a.CompletionStatus.Advice, Memory: a.CompletionStatus.Memory, Time: now}
	if a.CompletionTime != nil {
		e.Time = a.CompletionTime.Time
	}
	return e
}

// OfFramework is an attempt of a Framework. Its delay follows from the policy alone, unless PauseSec and Conflict are set.
func OfFramework(policy v1.RetryPolicySpec, counters v1.RetryPolicyStatus, ended Ending) Case {
	return Case{Policy: policy, Counters: counters, Ended: ended, Settled: counters.RetryDelaySec != nil}
}

// OfFailure is a failure of a Task without a successor yet, such as one that is judged anew. The role has restarted roleRetried
// times.
func OfFailure(role *v1.TaskRoleSpec, roleRetried int32, counters v1.RetryPolicyStatus, ended Ending) Case {
	return Case{Policy: role.Task.RetryPolicy, Counters: counters, Ended: ended, RoleHasRetry: roleHasRetry(role.RetryPolicy, roleRetried),
		MemoryRaised: role.Task.RetryPolicy.OnOOM != nil && memory.Raised(ended.Memory)}
}

// OfTask is the current attempt of a Task, according to its status. The role has restarted roleRetried times.
func OfTask(role *v1.TaskRoleSpec, roleRetried int32, t *v1.TaskStatus, ended Ending) Case {
	c := OfFailure(role, roleRetried, t.RetryPolicyStatus, ended)
	c.RoleHasRetry = c.RoleHasRetry && !t.DeletionPending
	own := OwnRestart(role.Name, t)
	c.RoleRestarts = own != nil && own.ByRole
	c.Settled = t.RetryPolicyStatus.RetryDelaySec != nil || own != nil
	c.PauseSec = PauseSec(t)
	return c
}

func roleHasRetry(p *v1.RoleRetryPolicySpec, retried int32) bool {
	return p != nil && (p.MaxRetryCount == v1.RetryOnFailure || retried < p.MaxRetryCount)
}

// Decision is the decision on an attempt's successor.
type Decision struct {
	// Row that decides.
	Row
	// Follows: there is another attempt. The row has a retry, or that was settled before the policy was changed.
	Follows bool
	// DelaySec is how many seconds after the end of the attempt the next one begins; 0 or more. The status has it as
	// retryDelaySec from the moment at which the retry is scheduled.
	DelaySec int64
	// Restart is the scope of the restart: the Tasks of the role or of the Framework start again with the Task, or none.
	// Empty means none, too.
	Restart v1.RestartScope
}

// Decide returns the decision on an attempt's successor, under the policy and the counters of the case.
func Decide(c Case) Decision {
	row := c.row()
	return Decision{Row: *row, Follows: row.Retry || c.Settled, DelaySec: c.delaySec(row), Restart: c.restart(row)}
}

// Counted returns the counters when the next attempt begins. A retry counts against maxRetryCount also if the policy has
// changed to no retry since it was scheduled. Otherwise, there would be one retry more than any policy has allowed.
func (d Decision) Counted(c Case) v1.RetryPolicyStatus {
	s := c.Counters
	s.TotalRetriedCount++
	switch {
	case d.Role: // it is counted for the role
	case d.Budget:
		s.Budgets = c.countBudget()
	case d.Accountable || !d.Retry:
		s.AccountableRetriedCount++
		s.RecentFailures = c.noteFailure()
	}
	s.RetryDelaySec = nil
	return s
}
