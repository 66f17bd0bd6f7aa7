package lifecycle

import (
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// round is one Step in progress: the next state, built by copying what changes, and the outputs collected so far. In this
// file, "stored" refers to Input.Saved.
type round struct {
	in  Input
	now metav1.Time
	// given is the spec as its users wrote it. In in.Framework.Spec, the numbers of Tasks follow the items.
	given *v1.FrameworkSpec

	status v1.FrameworkStatus // the Framework's own part of the next state
	roles  []*roleDraft
	out    Output
	hints  hintsProgress
	// drawing are Tasks that have failed in this round and make others restart.
	drawing []task
	// readyAwaited are roles whose readiness others await; nil if it was not needed in this round.
	readyAwaited map[string]bool
	// collecting are Tasks whose logs were asked for in this round.
	collecting map[TaskRef]bool
	// created are the roles whose Pods may be created from this round on, by gates that are not stored yet.
	created []*roleDraft
	// keeping are the claims that were asked for in this round. ownsVolumes: status.Volumes is the round's own list. volumeAt are
	// positions in it; nil if they were not needed in this round.
	keeping     map[ClaimRef]bool
	ownsVolumes bool
	volumeAt    map[volumeKey]int
}

func newRound(in Input) *round {
	r := &round{in: in, now: metav1.NewTime(in.Now.UTC().Truncate(time.Second)), given: in.Framework.Spec}
	r.in.Framework.Spec = WithItems(r.given, in.Saved)
	if view := &r.in.Observed.ConfigMap; view.ConfigMap != nil && view.ConfigMap.UID == view.Gone {
		view.ConfigMap = nil
	}
	if in.Saved == nil {
		return r
	}
	r.status = in.Saved.status
	specs := specsByName(r.in.Framework.Spec)
	for _, saved := range in.Saved.roles {
		r.roles = append(r.roles, &roleDraft{role: *saved, saved: saved, spec: specs[saved.name]})
	}
	return r
}

// specsByName indexes the roles of the spec; if roles have the same name, the first counts.
func specsByName(spec *v1.FrameworkSpec) map[string]*v1.TaskRoleSpec {
	byName := make(map[string]*v1.TaskRoleSpec, len(spec.TaskRoles))
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if byName[role.Name] == nil {
			byName[role.Name] = role
		}
	}
	return byName
}

// output closes the round. A state that equals the stored one is replaced by it, so that "nothing changed" is
// a comparison of pointers.
func (r *round) output() Output {
	r.out.State = &State{status: r.status, roles: r.finishedRoles()}
	r.settleAvoidedNodes()
	if !r.changed() {
		r.out.State = r.in.Saved
	}
	return r.out
}

func (r *round) finishedRoles() []*role {
	roles := make([]*role, len(r.roles))
	for i, draft := range r.roles {
		roles[i] = draft.finished()
	}
	return roles
}

func (r *round) changed() bool {
	if r.in.Saved == nil || len(r.out.Moves) > 0 {
		return true
	}
	return !slices.Equal(r.out.State.roles, r.in.Saved.roles) || !equalStatus(&r.status, &r.in.Saved.status)
}

// equalStatus compares what a round may change of a Framework's own part without making a move. Waiting is set together with the
// condition, and does not count by itself.
func equalStatus(a, b *v1.FrameworkStatus) bool {
	return equalPtr(a.RetryPolicyStatus.RetryDelaySec, b.RetryPolicyStatus.RetryDelaySec) &&
		a.ObservedGeneration == b.ObservedGeneration &&
		a.Gate == b.Gate &&
		a.Gates == b.Gates &&
		slices.Equal(a.StartedAfter, b.StartedAfter) &&
		a.ServiceName == b.ServiceName &&
		a.SecretName == b.SecretName &&
		avoid.Same(a.AvoidedNodes, b.AvoidedNodes) &&
		a.AttemptStatus.SchedulerHints == b.AttemptStatus.SchedulerHints &&
		a.AttemptStatus.Placement == b.AttemptStatus.Placement &&
		a.ActiveTime == b.ActiveTime &&
		sameVolumes(a.Volumes, b.Volumes) &&
		equalCounts(a.Tasks, b.Tasks) &&
		slices.Equal(a.Conditions, b.Conditions)
}

// equalCounts leaves out CutShort, which changes together with Failed. A status that was stored before there was such a count is
// worth no write for it.
func equalCounts(a, b *v1.TaskCounts) bool {
	if a == nil || b == nil {
		return a == b
	}
	without := *a
	without.CutShort = b.CutShort
	return without == *b
}

func equalPtr[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// view returns the view of the Task's Pod name. A Pod that is certainly gone is not shown, even if the cache still has it.
func (r *round) view(ref TaskRef) PodView {
	view := r.in.Observed.Pods[ref]
	if view.Pod != nil && view.Pod.UID == view.Gone {
		view.Pod = nil
	}
	return view
}

// seconds converts to a duration; a value that is too large becomes the longest duration instead of overflowing.
func seconds(n int64) time.Duration {
	const most = int64(math.MaxInt64 / time.Second)
	return time.Duration(max(min(n, most), -most)) * time.Second
}

func (r *round) do(a Action) { r.out.Actions = append(r.out.Actions, a) }

func (r *round) report(e Event) { r.out.Events = append(r.out.Events, e) }

func (r *round) completing() bool { return completing(r.status.State) }

// live reports whether the attempt has begun, and is not decided yet.
func (r *round) live() bool {
	return r.status.State == v1.AttemptPreparing || r.status.State == v1.AttemptRunning
}

func (r *round) stopping() bool { return r.in.Framework.Spec.ExecutionType == v1.ExecutionStop }

func (r *round) attemptUndecided() bool { return r.status.AttemptStatus.CompletionStatus == nil }

// wakeAt requests another round at t or earlier.
func (r *round) wakeAt(t time.Time) {
	if r.out.WakeAt.IsZero() || t.Before(r.out.WakeAt) {
		r.out.WakeAt = t
	}
}

// requeue requests another look at the Task as soon as the next state is stored.
func (r *round) requeue(ref TaskRef) {
	r.out.Requeue = true
	r.out.RequeueTasks = append(r.out.RequeueTasks, ref)
}
