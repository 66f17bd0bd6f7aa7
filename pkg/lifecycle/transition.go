package lifecycle

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Transition is one row of a transition table. A row that ends where it begins is a hold: a reason to stay.
type Transition struct {
	// ID of the row, as in the contract, sections 2.4 and 2.6; a letter is added where a row was split.
	ID string
	// From is every state in which the row applies; noState is "not there yet".
	From []v1.State
	// To is the state it leads to; noState is "removed". A hold repeats the state.
	To v1.State
	// When the row applies.
	When string
	// Effect beside the change of state; requested actions happen after the new status is stored.
	Effect string
}

// noState is the state of an object without a status.
const noState v1.State = ""

// Hold reports whether the row is a reason to stay in the current state.
func (t *Transition) Hold() bool { return len(t.From) == 1 && t.From[0] == t.To }

func (t *Transition) allows(from v1.State) bool { return slices.Contains(t.From, from) }

// The rows of the Framework's table. Ground truth is the ConfigMap recorded in configMapUID.
var (
	f1 = Transition{"F1", on(noState), v1.AttemptCreationPending,
		"the Framework has no status yet",
		"roles and Tasks are taken from the spec"}
	f2 = Transition{"F2", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the Framework is being deleted",
		"nothing more is created"}
	f3 = Transition{"F3", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"executionType is Create",
		""}
	f3a = Transition{"F3a", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the Framework is suspended, and no ConfigMap made for this attempt is found",
		"nothing is created until it is resumed"}
	f3b = Transition{"F3b", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the items of a role are not known, or their ConfigMap was not read since the attempt became pending",
		"they are asked for; nothing is created before"}
	f4 = Transition{"F4", on(v1.AttemptCreationPending), v1.AttemptCompleted,
		"executionType is Stop, or activeDeadlineSeconds is used up, and no ConfigMap of this Framework exists for certain",
		"code -210 or -140; every Task completes with -220"}
	f5 = Transition{"F5", on(v1.AttemptCreationPending), v1.AttemptCreationRequested,
		"the API server has accepted the ConfigMap, or one made for this attempt is found and adopted",
		"configMapUID and instanceUID are recorded; the creation timer starts"}
	f6 = Transition{"F6", on(v1.AttemptCreationRequested), v1.AttemptCreationRequested,
		"the cache does not show the ConfigMap yet, and the creation timer runs",
		""}
	f7 = Transition{"F7", on(v1.AttemptCreationRequested), v1.AttemptCompleted,
		"the cache does not show the ConfigMap, executionType is Stop or the creation timer has expired, and the ConfigMap is deleted for certain",
		"code -210 or -110; every Task completes with -220"}
	f8 = Transition{"F8", on(v1.AttemptCreationRequested), v1.AttemptPreparing,
		"the cache shows the ConfigMap",
		"Tasks begin"}
	f9 = Transition{"F9", on(v1.AttemptPreparing), v1.AttemptRunning,
		"a Task that is not being removed runs",
		"run times are recorded"}
	f10 = Transition{"F10", on(v1.AttemptPreparing, v1.AttemptRunning), v1.AttemptDeletionPending,
		"executionType is Stop, the completion policy has decided, activeDeadlineSeconds is over, the Framework is suspended, its scheduler has taken the attempt back, or its gang was not placed in time; the first of these decides",
		"the completion status is recorded; Tasks without one get -220; the ConfigMap's deletion is asked for"}
	f11 = Transition{"F11", on(v1.AttemptDeletionPending), v1.AttemptDeletionRequested,
		"the API server has accepted the ConfigMap's deletion",
		""}
	f12 = Transition{"F12", on(v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning, v1.AttemptDeletionPending, v1.AttemptDeletionRequested), v1.AttemptDeleting,
		"the ConfigMap is terminating",
		"code -100 if nothing was decided before; -210 if executionType is Stop and the cache had not shown the ConfigMap yet, and Tasks get -220"}
	f13 = Transition{"F13", on(v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning, v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting), v1.AttemptCompleted,
		"the ConfigMap is gone for certain",
		"code -100 if nothing was decided before; every Task completes with the attempt"}
	f14 = Transition{"F14", on(v1.AttemptCompleted), v1.Completed,
		"the retry policy says no",
		"the retention timer starts"}
	f15 = Transition{"F15", on(v1.AttemptCompleted), v1.AttemptCompleted,
		"the retry policy says yes, and its delay runs, the completed attempt is not stored or archived yet, or the Framework is suspended or being deleted",
		"retryDelaySec is recorded once"}
	f16 = Transition{"F16", on(v1.AttemptCompleted), v1.AttemptCreationPending,
		"the retry is due, and the completed attempt is stored and archived; or executionType is Stop, and it is stored",
		"counters go up; the next attempt is made from the current spec"}
	f17 = Transition{"F17", on(v1.Completed), v1.Completed,
		"the retention timer runs or has expired",
		"it is archived; once expired, the Framework's deletion is asked for"}
)

// The rows of the Task's table. Ground truth is the Pod recorded in podUID. Tasks are stepped only while the
// ConfigMap is in the cache, but for T2 of a Task that never had its turn.
var (
	t1 = Transition{"T1", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the attempt is completing, or the Framework is being deleted",
		"no further Pod is created"}
	t2 = Transition{"T2", on(v1.AttemptCreationPending), v1.AttemptCompleted,
		"the Task is to be removed or starts again with others, and no Pod of it exists for certain",
		"code -230 or -240"}
	t3 = Transition{"T3", on(v1.AttemptCreationPending), v1.AttemptCreationRequested,
		"the API server has accepted the Pod, or one made for this attempt is found and adopted",
		"podUID and instanceUID are recorded; the creation timer starts"}
	t4 = Transition{"T4", on(v1.AttemptCreationPending), v1.AttemptCompleted,
		"the API server has refused the Pod for good, and no Pod of the Task exists for certain",
		"code -200 or -310"}
	t5 = Transition{"T5", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the Pod's creation is not acknowledged yet",
		"creation is asked for, again and again if it fails for reasons that may pass"}
	t5a = Transition{"T5a", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the role starts after the success of others, by itself or with roles that do, and they have not all succeeded in this attempt yet",
		"no Pod is created before"}
	t5b = Transition{"T5b", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the Task had no Pod when its restart group failed, and not all attempts of that group have ended",
		"its Pod is not created until then; a Pod created in the meantime is deleted"}
	t5c = Transition{"T5c", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"the parallelism of the role lets no further Task have a Pod, or Tasks with a lower index or a retry come first",
		"no Pod is created until another Task's Pod is gone"}
	t5d = Transition{"T5d", on(v1.AttemptCreationPending), v1.AttemptCreationPending,
		"no list is known that begins with the items of the attempt",
		"no Pod is created before"}
	t6 = Transition{"T6", on(v1.AttemptCreationRequested), v1.AttemptCompleted,
		"the cache does not show the Pod, the Task is to be removed or starts again with others or the creation timer has expired, and the Pod is deleted for certain",
		"code -230, -240 or -111"}
	t7a = Transition{"T7a", on(v1.AttemptCreationRequested), v1.AttemptPreparing,
		"the cache shows the Pod",
		"its node and addresses are recorded, now and whenever they change"}
	t7b = Transition{"T7b", on(v1.AttemptPreparing), v1.AttemptRunning,
		"the Pod's phase is Running",
		"run times are recorded"}
	t8 = Transition{"T8", on(v1.AttemptPreparing, v1.AttemptRunning), v1.AttemptDeletionPending,
		"the Pod has succeeded or failed, or has not got to run by its startDeadline, or has run for its activeDeadlineSeconds, or must avoid nodes and no other is found, or the Task is to be removed or starts again with others",
		"the completion status is recorded: 0, the failure's class, the deadline's code, -241, -230 or -240; the Pod's deletion is asked for"}
	t9 = Transition{"T9", on(v1.AttemptDeletionPending), v1.AttemptDeletionRequested,
		"the API server has accepted the Pod's deletion",
		""}
	t10 = Transition{"T10", on(v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning, v1.AttemptDeletionPending, v1.AttemptDeletionRequested), v1.AttemptDeleting,
		"the Pod is terminating, whatever its phase",
		"code -101 if it has no completion status; the force-deletion timer starts"}
	t11 = Transition{"T11", on(v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning, v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting), v1.AttemptCompleted,
		"the Pod is gone for certain; or it terminates and has ended, or never got a node, and only finalizers keep it",
		"code -101 if it has no completion status"}
	t12 = Transition{"T12", on(v1.AttemptCompleted), v1.AttemptCreationPending,
		"the retry policy says yes, the retry is due, the attempt is not completing, and the completed attempt is stored and archived",
		"counters go up; the next attempt begins"}
	t12a = Transition{"T12a", on(v1.AttemptCompleted), v1.AttemptCompleted,
		"the retry policy says yes, and its delay runs, the completed attempt is not stored or archived yet, or the Framework is being deleted",
		"retryDelaySec is recorded once, if there is a backoff"}
	t12b = Transition{"T12b", on(v1.AttemptCompleted), v1.AttemptCompleted,
		"the Task starts again with others, and one of them has not ended its attempt, waits for its delay, or is not stored as completed and archived",
		"retryDelaySec is recorded once, if there is a delay"}
	t13 = Transition{"T13", on(v1.AttemptCompleted), v1.Completed,
		"the retry policy says no, and did so when the Task failed if others start again with it; or the role is gone from the spec, or the attempt is completing",
		"the completion policy looks at the Task"}
	t14 = Transition{"T14", on(v1.Completed), noState,
		"a scale-down removes the Task, and its completion is stored and archived",
		"its place is dropped, or taken by a new instance"}
	t15a = Transition{"T15a", on(v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning, v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting), v1.AttemptCompleted,
		"the Framework's attempt has completed",
		"code -220 if it has no completion status"}
	t15b = Transition{"T15b", on(v1.AttemptCompleted), v1.Completed,
		"the Framework's attempt has completed",
		"a scheduled retry is dropped"}
)

var (
	frameworkTable = []*Transition{&f1, &f2, &f3, &f3a, &f3b, &f4, &f5, &f6, &f7, &f8, &f9, &f10, &f11, &f12, &f13, &f14, &f15, &f16, &f17}
	taskTable      = []*Transition{&t1, &t2, &t3, &t4, &t5, &t5a, &t5b, &t5c, &t5d, &t6, &t7a, &t7b, &t8, &t9, &t10, &t11, &t12, &t12a, &t12b, &t13, &t14, &t15a, &t15b}
)

func on(states ...v1.State) []v1.State { return states }

// FrameworkTable returns the rows of the Framework's transition table.
func FrameworkTable() []Transition { return rows(frameworkTable) }

// TaskTable returns the rows of the Task's transition table.
func TaskTable() []Transition { return rows(taskTable) }

func rows(table []*Transition) []Transition {
	out := make([]Transition, len(table))
	for i, row := range table {
		out[i] = *row
	}
	return out
}

// IDs of the rows that drop something stored: a Task's attempt, a Task, and an attempt of the Framework.
var (
	RowTaskRetried      = t12.ID
	RowTaskRemoved      = t14.ID
	RowFrameworkRetried = f16.ID
)
