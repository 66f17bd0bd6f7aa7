package lifecycle

import (
	"slices"

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

	fits func(retryCase) bool
}

// retryCase is what the table looks at: the policy as it is now, the counters, and how the attempt ended.
type retryCase struct {
	policy   v1.RetryPolicySpec
	counters v1.RetryPolicyStatus
	status   v1.CompletionStatus
}

var retryTable = []RetryRow{
	{ID: "R0", When: "the controller itself ended the attempt: its code is -210, -220 or -230, with that code's own phrase",
		fits: retryCase.byController},
	{ID: "R0a", When: "the attempt was suspended, or its scheduler took it back: its code is -250 or -251, with that code's own phrase",
		Retry: true, AtOnce: true, fits: retryCase.interrupted},
	{ID: "R1", When: "fancyRetryPolicy, and the failure is Transient and Conflict", Retry: true, Conflict: true,
		fits: func(e retryCase) bool { return e.fancy(v1.AttributeTransient) && e.fancy(v1.AttributeConflict) }},
	{ID: "R2", When: "fancyRetryPolicy, and the failure is Transient", Retry: true,
		fits: func(e retryCase) bool { return e.fancy(v1.AttributeTransient) }},
	{ID: "R3", When: "fancyRetryPolicy, and the failure is Permanent",
		fits: func(e retryCase) bool { return e.fancy(v1.AttributePermanent) }},
	{ID: "R4", When: "maxRetryCount is -2, even after success", Retry: true, Accountable: true,
		fits: func(e retryCase) bool { return e.policy.MaxRetryCount == v1.RetryAlways }},
	{ID: "R5", When: "maxRetryCount is -1, and the attempt failed", Retry: true, Accountable: true,
		fits: func(e retryCase) bool { return e.failed() && e.policy.MaxRetryCount == v1.RetryOnFailure }},
	{ID: "R6", When: "the attempt failed, and accountableRetriedCount is below maxRetryCount", Retry: true, Accountable: true,
		fits: func(e retryCase) bool {
			return e.failed() && e.counters.AccountableRetriedCount < e.policy.MaxRetryCount
		}},
	{ID: "R7", When: "otherwise", fits: func(retryCase) bool { return true }},
}

// RetryTable returns the rows of the retry table, in the order in which they are tried.
func RetryTable() []RetryRow { return slices.Clone(retryTable) }

// DecideRetry returns the row that decides on an attempt which has ended so, under that policy and with these counters. It is
// for those who explain what the core has done; the policy may have been another one when it did.
func DecideRetry(policy v1.RetryPolicySpec, counters v1.RetryPolicyStatus, ended v1.CompletionStatus) RetryRow {
	return *retryCase{policy, counters, ended}.decide()
}

// decide returns the first row that fits; the last one always does.
func (e retryCase) decide() *RetryRow {
	i := slices.IndexFunc(retryTable, func(row RetryRow) bool { return row.fits(e) })
	return &retryTable[i]
}

// counts reports whether a retry that is executed under the row counts against maxRetryCount. The policy may have come to
// say no since the retry was scheduled. Nothing exempts it then, or it would be one more than any policy has allowed.
func (r *RetryRow) counts() bool { return r.Accountable || !r.Retry }

func (e retryCase) failed() bool { return e.status.Type.Name == v1.CompletionFailed }

// fancy reports whether the policy looks at the kind of failure, and this is one of that kind.
func (e retryCase) fancy(kind v1.CompletionTypeAttribute) bool {
	return e.policy.FancyRetryPolicy && e.failed() && slices.Contains(e.status.Type.Attributes, kind)
}

// byController: code and phrase must both match, since a container may exit with any number (decisions, W13).
func (e retryCase) byController() bool {
	return completion.IsPredefined(e.status,
		completion.CodeStopFrameworkRequested, completion.CodeFrameworkAttemptCompletion, completion.CodeDeleteTaskRequested)
}

// interrupted: the attempt was ended for what has nothing to do with it, by its user or its scheduler.
func (e retryCase) interrupted() bool {
	return completion.IsPredefined(e.status, completion.CodeFrameworkSuspended, completion.CodeEvictedByScheduler)
}
