package lifecycle

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// RetryRow is one row of the table that decides whether a completed attempt, of a Framework or of a Task, is
// followed by another. The first row that fits decides.
type RetryRow struct {
	// ID of the row, as in the contract, section 3.1.
	ID string
	// When the row fits.
	When string
	// Retry: there is another attempt. Accountable: it counts against maxRetryCount (counts).
	Retry, Accountable bool
	// Conflict: a Framework waits for a random time, so that competitors do not meet again.
	Conflict bool
	// AtOnce: there is no delay, whatever the policy says.
	AtOnce bool
	// Budget: it counts against the first budget that fits.
	Budget bool
	// UsedUp: there is no retry, as those that there were are used up. If a Task has failed so, its role decides.
	UsedUp bool
	// Role: the Task's role starts again as a whole, and its policy counts it.
	Role bool
	// EndsAttempt: the attempt of the Framework ends with that of the Task.
	EndsAttempt bool

	fits func(retryCase) bool
}

// retryCase is what the table looks at: the policy as it is now, the counters, and how the attempt ended.
type retryCase struct {
	policy   v1.RetryPolicySpec
	counters v1.RetryPolicyStatus
	ended    Ending
	// roleRetries: the role of the Task may start again.
	roleRetries bool
	// byRole: it does, as was decided when the Task failed.
	byRole bool
}

// Ending is how an attempt has ended, as far as the retry policy looks at it.
type Ending struct {
	Status v1.CompletionStatus
	// Advice of the plugin that has judged the failure of a Task; nil if there is none.
	Advice *v1.RetryAdvice
	// Time at which it had ended.
	Time time.Time
}

// TaskEnding returns how the attempt of a Task has ended, which has a completion status; now is the time if it is not over yet.
func TaskEnding(a *v1.TaskAttemptStatus, now time.Time) Ending {
	e := Ending{Status: a.CompletionStatus.CompletionStatus, Advice: a.CompletionStatus.Advice, Time: now}
	if a.CompletionTime != nil {
		e.Time = a.CompletionTime.Time
	}
	return e
}

var retryTable = []RetryRow{
	{ID: "R0", When: "the controller itself ended the attempt: its code is -210, -220 or -230, with that code's own phrase",
		fits: retryCase.byController},
	{ID: "R0a", When: "the attempt was suspended, its scheduler took it back, or no node was left for a Pod that had to avoid some: its code is -250, -251 or -241, with that code's own phrase",
		Retry: true, AtOnce: true, fits: retryCase.interrupted},
	{ID: "R0b", When: "the attempt was ended to start again with another Task's: its code is -240, with that code's own phrase",
		Retry: true, AtOnce: true, fits: retryCase.restarted},
	{ID: "R0c", When: "the plugin that has judged the Task's failure gives up the attempt of the Framework, which ends with the Task",
		EndsAttempt: true, fits: func(e retryCase) bool { return e.failed() && e.ended.Advice != nil && e.ended.Advice.GiveUpAttempt }},
	{ID: "RB1", When: "fancyRetryPolicy, the failure is Transient and Conflict, and the first of budgets that fits it has a retry left",
		Retry: true, Budget: true, Conflict: true,
		fits: func(e retryCase) bool {
			return e.fancy(v1.AttributeTransient) && e.fancy(v1.AttributeConflict) && e.inBudget()
		}},
	{ID: "RB2", When: "the first of budgets that fits the failure has a retry left, unless the failure is Permanent under fancyRetryPolicy",
		Retry: true, Budget: true, fits: retryCase.inBudget},
	{ID: "RB3", When: "as RB2, but no retry is left", Budget: true, UsedUp: true,
		fits: func(e retryCase) bool { return e.budget() != nil }},
	{ID: "R1", When: "fancyRetryPolicy, and the failure is Transient and Conflict", Retry: true, Conflict: true,
		fits: func(e retryCase) bool { return e.fancy(v1.AttributeTransient) && e.fancy(v1.AttributeConflict) }},
	{ID: "R2", When: "fancyRetryPolicy, and the failure is Transient", Retry: true,
		fits: func(e retryCase) bool { return e.fancy(v1.AttributeTransient) }},
	{ID: "R3", When: "fancyRetryPolicy, and the failure is Permanent",
		fits: func(e retryCase) bool { return e.fancy(v1.AttributePermanent) }},
	{ID: "RW", When: "the attempt failed, and in the time of the window before its end so many failures were retried and counted as window.failures says",
		UsedUp: true, fits: retryCase.windowFull},
	{ID: "R4", When: "maxRetryCount is -2, even after success", Retry: true, Accountable: true,
		fits: func(e retryCase) bool { return e.policy.MaxRetryCount == v1.RetryAlways }},
	{ID: "R5", When: "maxRetryCount is -1, and the attempt failed", Retry: true, Accountable: true,
		fits: func(e retryCase) bool { return e.failed() && e.policy.MaxRetryCount == v1.RetryOnFailure }},
	{ID: "R6", When: "the attempt failed, and accountableRetriedCount is below maxRetryCount", Retry: true, Accountable: true,
		fits: func(e retryCase) bool {
			return e.failed() && e.counters.AccountableRetriedCount < e.policy.MaxRetryCount
		}},
	{ID: "R7", When: "otherwise", UsedUp: true, fits: func(retryCase) bool { return true }},
}

// roleRow takes the place of rows by which a Task has used up its own retries.
var roleRow = RetryRow{ID: "RR", When: "in place of RB3, RW and R7: the Task has failed, is not being removed, and the retryPolicy of its role has a retry left, which starts the role again",
	Retry: true, Role: true}

// RetryTable returns the rows of the retry table, in the order in which they are tried.
func RetryTable() []RetryRow { return append(slices.Clone(retryTable), roleRow) }

// DecideRetry returns the row that decides on an attempt which has ended so, under that policy and with these counters. It is
// for those who explain what the core has done; the policy may have been another one when it did.
func DecideRetry(policy v1.RetryPolicySpec, counters v1.RetryPolicyStatus, ended Ending) RetryRow {
	return *retryCase{policy: policy, counters: counters, ended: ended}.decide()
}

// DecideTaskRetry is DecideRetry for a Task of a role that has started again so often by its own policy. It is about a failure that
// nothing has followed yet; see TaskRetry for one of a status.
func DecideTaskRetry(role *v1.TaskRoleSpec, roleRetried int32, counters v1.RetryPolicyStatus, ended Ending) RetryRow {
	return *retryCase{policy: role.Task.RetryPolicy, counters: counters, ended: ended, roleRetries: roleHasRetry(role.RetryPolicy, roleRetried)}.decide()
}

// TaskRetry returns the row that decides on the current attempt of a Task, which has ended so, and whether another one follows.
// What was settled when the Task failed holds, whatever its policy has come to say; so another one may follow by a row that has
// no retry.
func TaskRetry(role *v1.TaskRoleSpec, roleRetried int32, t *v1.TaskStatus, ended Ending) (row RetryRow, again bool) {
	row = *taskRetryCase(role, roleRetried, t, ended).decide()
	return row, row.Retry || retrySettled(role.Name, t)
}

func taskRetryCase(role *v1.TaskRoleSpec, roleRetried int32, t *v1.TaskStatus, ended Ending) retryCase {
	own := ownRestart(role.Name, t)
	return retryCase{
		policy: role.Task.RetryPolicy, counters: t.RetryPolicyStatus, ended: ended,
		roleRetries: !t.DeletionPending && roleHasRetry(role.RetryPolicy, roleRetried), byRole: own != nil && own.ByRole,
	}
}

// retrySettled reports whether another attempt of the Task follows whatever its policy has come to say: it was scheduled, or
// others have ended their attempts for it.
func retrySettled(role string, t *v1.TaskStatus) bool {
	return t.RetryPolicyStatus.RetryDelaySec != nil || ownRestart(role, t) != nil
}

func roleHasRetry(p *v1.RoleRetryPolicySpec, retried int32) bool {
	return p != nil && (p.MaxRetryCount == v1.RetryOnFailure || retried < p.MaxRetryCount)
}

// decide returns the first row that fits, which the last one always does, or that of the role.
func (e retryCase) decide() *RetryRow {
	if e.byRole {
		return &roleRow
	}
	row := e.decideAlone()
	if row.UsedUp && e.failed() && e.roleRetries {
		return &roleRow
	}
	return row
}

// decideAlone leaves the role out.
func (e retryCase) decideAlone() *RetryRow {
	i := slices.IndexFunc(retryTable, func(row RetryRow) bool { return row.fits(e) })
	return &retryTable[i]
}

// counts reports whether a retry that is executed under the row counts against maxRetryCount. The policy may have come to
// say no since the retry was scheduled. Nothing exempts it then, or it would be one more than any policy has allowed.
func (r *RetryRow) counts() bool { return r.Accountable || !r.Retry }

func (e retryCase) failed() bool { return e.ended.Status.Type.Name == v1.CompletionFailed }

// fancy reports whether the policy looks at the kind of failure, and this is one of that kind.
func (e retryCase) fancy(kind v1.CompletionTypeAttribute) bool {
	return e.policy.FancyRetryPolicy && e.failed() && slices.Contains(e.ended.Status.Type.Attributes, kind)
}

// byController: code and phrase must both match, since a container may exit with any number (decisions, W13).
func (e retryCase) byController() bool {
	return completion.IsPredefined(e.ended.Status,
		completion.CodeStopFrameworkRequested, completion.CodeFrameworkAttemptCompletion, completion.CodeDeleteTaskRequested)
}

// interrupted: the attempt was ended for what has nothing to do with it, by its user or its scheduler, or as we had asked for
// what there is not.
func (e retryCase) interrupted() bool {
	return completion.IsPredefined(e.ended.Status,
		completion.CodeFrameworkSuspended, completion.CodeEvictedByScheduler, completion.CodeNodesAvoidedTooStrictly)
}

// restarted: the attempt was ended as another Task has failed that it was to start again with.
func (e retryCase) restarted() bool {
	return completion.IsPredefined(e.ended.Status, completion.CodeRestartedWithPeers)
}

// count enters a retry that is executed under the row into the counters.
func (e retryCase) count(s *v1.RetryPolicyStatus, row *RetryRow) {
	s.TotalRetriedCount++
	switch {
	case row.Role: // that is counted for the role
	case row.Budget:
		e.countBudget(s)
	case row.counts():
		s.AccountableRetriedCount++
		e.noteFailure(s)
	}
	s.RetryDelaySec = nil
}
