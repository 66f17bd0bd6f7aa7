package retry

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// RowID identifies a row of the retry table, as the contract, section 3.1, and docs/design/state-machines.md do. It never changes.
type RowID string

// The rows, in the order of the table.
const (
	// EndedByController: the controller ended the attempt, and nothing follows.
	EndedByController RowID = "R0"
	// Interrupted: the attempt was ended for a reason that is not its own.
	Interrupted RowID = "R0a"
	// WithPeers: the attempt was ended to start again with another Task.
	WithPeers RowID = "R0b"
	// GivenUp: a plugin gave up the attempt of the Framework.
	GivenUp RowID = "R0c"
	// ConflictInBudget: a Transient Conflict whose budget has a retry left.
	ConflictInBudget RowID = "RB1"
	// InBudget: any other failure whose budget has a retry left.
	InBudget RowID = "RB2"
	// BudgetUsedUp: a failure whose budget has no retry left.
	BudgetUsedUp RowID = "RB3"
	// TransientConflict: fancyRetryPolicy retries a Transient Conflict.
	TransientConflict RowID = "R1"
	// Transient: fancyRetryPolicy retries a Transient failure.
	Transient RowID = "R2"
	// Permanent: fancyRetryPolicy does not retry a Permanent failure.
	Permanent RowID = "R3"
	// WindowFull: too many failures in the time of the window.
	WindowFull RowID = "RW"
	// Always: maxRetryCount is -2.
	Always RowID = "R4"
	// OnFailure: maxRetryCount is -1.
	OnFailure RowID = "R5"
	// BelowMax: a retry of maxRetryCount is left.
	BelowMax RowID = "R6"
	// Otherwise: nothing else fits, and nothing follows.
	Otherwise RowID = "R7"
	// OfRole: the role of the Task starts again.
	OfRole RowID = "RR"
)

// Row is one row of the table that decides whether a completed attempt, of a Framework or of a Task, is followed by another.
// The first row that fits decides.
type Row struct {
	ID RowID
	// When the row fits.
	When string
	// Retry: there is another attempt. Accountable: it counts against maxRetryCount (counts).
	Retry, Accountable bool
	// Conflict: a Framework waits for a random time, so that competitors do not meet again.
	Conflict bool
	// AtOnce: there is no delay, even if the policy has one.
	AtOnce bool
	// Budget: it counts against the first budget that fits.
	Budget bool
	// UsedUp: there is no retry left. If a Task has failed so, its role decides.
	UsedUp bool
	// Role: the Task's role starts again as a whole, and its policy counts it.
	Role bool
	// EndsAttempt: the attempt of the Framework ends with the attempt of the Task.
	EndsAttempt bool

	fits func(Case) bool
}

var table = []Row{
	{ID: EndedByController, When: "the controller ended the attempt: code -140, -210, -220 or -230, with that code's own phrase",
		fits: Case.byController},
	{ID: Interrupted, When: "the attempt was suspended or taken back by its scheduler, or its Pod had to avoid nodes and found no other: code -250, -251 or -241, with that code's own phrase",
		Retry: true, AtOnce: true, fits: Case.interrupted},
	{ID: WithPeers, When: "the attempt ended because another Task restarts: code -240, with that code's own phrase",
		Retry: true, AtOnce: true, fits: Case.restarted},
	{ID: GivenUp, When: "the plugin that judged the failure of the Task gives up the attempt of the Framework, which ends with the Task",
		EndsAttempt: true, fits: func(c Case) bool { return c.failed() && c.Ended.Advice != nil && c.Ended.Advice.GiveUpAttempt }},
	{ID: ConflictInBudget, When: "fancyRetryPolicy, the failure is Transient and Conflict, and the first budget that fits it has a retry left",
		Retry: true, Budget: true, Conflict: true, fits: func(c Case) bool { return c.transientConflict() && c.inBudget() }},
	{ID: InBudget, When: "the first budget that fits the failure has a retry left; never for a Permanent failure under fancyRetryPolicy",
		Retry: true, Budget: true, fits: Case.inBudget},
	{ID: BudgetUsedUp, When: "as RB2, but the budget has no retry left", Budget: true, UsedUp: true,
		fits: func(c Case) bool { return c.budget() != nil }},
	{ID: TransientConflict, When: "fancyRetryPolicy, and the failure is Transient and Conflict", Retry: true, Conflict: true,
		fits: Case.transientConflict},
	{ID: Transient, When: "fancyRetryPolicy, and the failure is Transient", Retry: true,
		fits: func(c Case) bool { return c.fancy(v1.AttributeTransient) }},
	{ID: Permanent, When: "fancyRetryPolicy, and the failure is Permanent; not if onOOM raises the memory that it lacked",
		fits: func(c Case) bool { return c.fancy(v1.AttributePermanent) }},
	{ID: WindowFull, When: "the attempt failed, and as many retries as window.failures were counted within window.withinSec before its end",
		UsedUp: true, fits: Case.windowFull},
	{ID: Always, When: "maxRetryCount is -2, even after success", Retry: true, Accountable: true,
		fits: func(c Case) bool { return c.Policy.MaxRetryCount == v1.RetryAlways }},
	{ID: OnFailure, When: "maxRetryCount is -1, and the attempt failed", Retry: true, Accountable: true,
		fits: func(c Case) bool { return c.failed() && c.Policy.MaxRetryCount == v1.RetryOnFailure }},
	{ID: BelowMax, When: "the attempt failed, and accountableRetriedCount is below maxRetryCount", Retry: true, Accountable: true,
		fits: func(c Case) bool {
			return c.failed() && c.Counters.AccountableRetriedCount < c.Policy.MaxRetryCount
		}},
	{ID: Otherwise, When: "otherwise", UsedUp: true, fits: func(Case) bool { return true }},
}

// roleRow takes the place of rows by which a Task has used up its own retries.
var roleRow = Row{ID: OfRole, When: "in place of RB3, RW and R7: the Task has failed, is not being removed, and the retryPolicy of its role has a retry left, so the role restarts",
	Retry: true, Role: true}

// Table returns the rows, in the order in which they are tried. A caller that shows them needs nothing else; Decide is for a
// decision.
func Table() []Row { return append(slices.Clone(table), roleRow) }

// RowOf returns the row with that ID; found is false if there is none.
func RowOf(id string) (row Row, found bool) {
	for _, row := range Table() {
		if string(row.ID) == id {
			return row, true
		}
	}
	return Row{}, false
}

// row returns the first row that fits, which the last one always does, or the role's row.
func (c Case) row() *Row {
	if c.RoleRestarts {
		return &roleRow
	}
	row := c.ownRow()
	if row.UsedUp && c.failed() && c.RoleHasRetry {
		return &roleRow
	}
	return row
}

// ownRow leaves the role out.
func (c Case) ownRow() *Row {
	i := slices.IndexFunc(table, func(row Row) bool { return row.fits(c) })
	return &table[i]
}

func (c Case) failed() bool { return c.Ended.Status.Type.Name == v1.CompletionFailed }

// fancy reports whether the policy looks at the kind of failure, and this is one of that kind. With more memory, a failure for lack of
// it predicts nothing about the next attempt.
func (c Case) fancy(kind v1.CompletionTypeAttribute) bool {
	return !c.MemoryRaised && c.Policy.FancyRetryPolicy && c.failed() && slices.Contains(c.Ended.Status.Type.Attributes, kind)
}

func (c Case) transientConflict() bool {
	return c.fancy(v1.AttributeTransient) && c.fancy(v1.AttributeConflict)
}

// byController: code and phrase must both match, since a container may exit with any number (decisions, W13).
func (c Case) byController() bool {
	return completion.IsPredefined(c.Ended.Status, completion.CodeDeadlineExceeded,
		completion.CodeStopFrameworkRequested, completion.CodeFrameworkAttemptCompletion, completion.CodeDeleteTaskRequested)
}

// interrupted: the attempt was ended by its user or its scheduler, or because no node was left for it.
func (c Case) interrupted() bool {
	return completion.IsPredefined(c.Ended.Status,
		completion.CodeFrameworkSuspended, completion.CodeEvictedByScheduler, completion.CodeNodesAvoidedTooStrictly)
}

// restarted: the attempt was ended because another Task failed with which this one starts again.
func (c Case) restarted() bool {
	return completion.IsPredefined(c.Ended.Status, completion.CodeRestartedWithPeers)
}
