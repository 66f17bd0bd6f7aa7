package lifecycle

import (
	"iter"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// collectorPatience is when the garbage collector has had time enough (forceConfigMap).
const collectorPatience = time.Minute

// setWaiting sets the condition Waiting, and status.waiting, which has the facts of its sentence. While the condition stays as it is
// stored, other facts are no reason for a status write (equalStatus).
func (r *round) setWaiting(conditions []metav1.Condition, set func(kind string, is bool, reason, message string)) {
	what, lookAt := waiting.Of(r.waitingView())
	if !lookAt.IsZero() {
		r.wakeAt(lookAt)
	}
	if what.Reason == "" {
		if r.status.Waiting = nil; meta.FindStatusCondition(conditions, v1.ConditionWaiting) != nil {
			set(v1.ConditionWaiting, false, "NothingInTheWay", "")
		}
		return
	}
	if what.ForNode() {
		what.HalfGang = r.halfGang()
	}
	began := r.now
	if c := meta.FindStatusCondition(conditions, v1.ConditionWaiting); c != nil && c.Status == metav1.ConditionTrue && c.Reason == string(what.Reason) {
		began = c.LastTransitionTime // as far as is known, if an older version has stored no facts
	}
	set(v1.ConditionWaiting, true, string(what.Reason), what.Sentence())
	r.status.Waiting = what.Status(r.status.Waiting, began)
}

// waitingView is the round as package waiting sees it.
func (r *round) waitingView() waiting.View {
	v := waiting.View{
		Framework:  r.in.Framework.Name,
		Now:        r.in.Now,
		Stored:     r.status.Waiting,
		Blockers:   r.in.Observed.Blockers,
		Ended:      ended(r.status.State),
		Completing: r.completing(),
		Spec:       r.in.Framework.Spec,
		Deleting:   r.in.Framework.Deleting,
		Roles:      r.waitingRoles(),
		Tasks:      waitingTasks{r},

		AttemptStart: r.status.AttemptStatus.StartTime.Time,
		Completed:    r.status.StartedAfter,
		Others:       r.in.Observed.Others,
		OthersCircle: r.in.Observed.OthersCircle,
	}
	if !meta.IsStatusConditionTrue(r.status.Conditions, v1.ConditionWaiting) {
		v.Stored = nil
	}
	if r.tooManyTasks() {
		v.Surplus = &waiting.Surplus{Wanted: r.wantedTasks(), Most: r.maxTasks()}
	}
	v.Items = r.itemsInTheWay()
	if cm := r.in.Observed.ConfigMap.ConfigMap; cm != nil && (r.configMap() != nil || r.stale()) {
		v.ConfigMap = &waiting.ConfigMap{UID: cm.UID, Deleting: cm.Deleting, TerminationStart: cm.TerminationStart}
	}
	return v
}

// waitingRoles are the roles of a live attempt, if some start after others.
func (r *round) waitingRoles() (roles []waiting.Role) {
	if !r.live() || r.status.Gates == nil {
		return nil
	}
	for _, role := range r.specRoles() {
		roles = append(roles, waiting.Role{
			Spec: role.spec, Closed: r.status.Gates.Closed(role.spec), HeldBack: r.heldBack(role),
			Wanted: role.wanted(), Succeeded: role.tally.succeeded, Failed: role.tally.failed,
		})
	}
	return roles
}

// configMapLate reports whether our ConfigMap has been terminating for that long although none of its Pods is. If not, it has the
// Framework looked at in time.
func (r *round) configMapLate(patience time.Duration) bool {
	late, lookAt := waiting.ConfigMapLate(r.waitingView(), patience)
	if !lookAt.IsZero() {
		r.wakeAt(lookAt)
	}
	return late
}

// waitingTasks are the Tasks as package waiting sees them.
type waitingTasks struct{ r *round }

func (w waitingTasks) Stalls(yield func(waiting.Task, waiting.Stall) bool) {
	for ref, stall := range w.r.in.Observed.Stalls {
		if !yield(waiting.Task(ref), stall) {
			return
		}
	}
}

func (w waitingTasks) Stall(task waiting.Task) waiting.Stall {
	return w.r.in.Observed.Stalls[TaskRef(task)]
}

func (w waitingTasks) Status(task waiting.Task) *v1.TaskStatus {
	if role := w.r.roleNamed(task.Role); role != nil && role.has(task.Index) {
		return role.tasks[task.Index]
	}
	return nil
}

func (w waitingTasks) Limited(role string) bool { return w.r.timeout(role) != nil }

func (w waitingTasks) Completions() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for t := range w.r.tasks {
			if at := t.status().AttemptStatus.CompletionTime; at != nil && !yield(at.Time) {
				return
			}
		}
	}
}

// Stall returns why the Pod makes no progress; stalls is false if it does, or need not.
func (v PodView) Stall() (stall waiting.Stall, stalls bool) {
	pod := v.Pod
	if pod == nil || pod.UID == v.Gone {
		return waiting.Stall{}, false
	}
	if pod.Deleting {
		stall = waiting.Terminating(pod.TerminationStart, pod.TerminationEnd)
		stall.Finalizers, stall.Held = pod.Finalizers, pod.Held()
	} else if pod.StallCause != nil {
		stall = pod.StallCause.Stall()
	}
	stall.UID, stall.ConfigMapUID, stall.Node = pod.UID, pod.ConfigMapUID, pod.NodeName
	return stall, stall.Reason != ""
}
