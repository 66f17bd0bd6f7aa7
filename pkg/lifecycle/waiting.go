package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Reasons of the condition Waiting that are decided here. Others come with the blockers.
const (
	// ReasonTooManyTasks: the spec has more Tasks than are made.
	ReasonTooManyTasks         = "TooManyTasks"
	ReasonPodTerminating       = "PodTerminating"
	ReasonConfigMapTerminating = "ConfigMapTerminating"
	// ReasonUnschedulable: no node was found for a Pod.
	ReasonUnschedulable = "Unschedulable"
	// ReasonImageNotPulled: an image does not come to its node.
	ReasonImageNotPulled = "ImageNotPulled"
	// ReasonContainerNotStarted: the node has the image, and cannot start the container.
	ReasonContainerNotStarted = "ContainerNotStarted"
	// ReasonContainerCrashing: a container is started again and again, and does not last.
	ReasonContainerCrashing = "ContainerCrashing"
	// ReasonContainersLeft: the container that does the work has ended, and another one keeps the Pod running.
	ReasonContainersLeft = "ContainersLeft"
	// ReasonSchedulingGated: somebody has not let a Pod be scheduled yet, such as a queue of jobs.
	ReasonSchedulingGated = "SchedulingGated"
	// ReasonPodNotScheduled: nothing is known to be wrong, but no scheduler has said anything about a Pod.
	ReasonPodNotScheduled = "PodNotScheduled"
	// ReasonPodNotStarted: nothing is known to be wrong, but the Pod has a node, and no container runs.
	ReasonPodNotStarted = "PodNotStarted"
	// ReasonStartBlocked: a role never starts, by its startAfter, unless somebody changes something.
	ReasonStartBlocked = "StartBlocked"
	// ReasonStartsLater: a role has no Pods yet, as it starts after the success of others. It is no trouble.
	ReasonStartsLater = "StartsLater"
)

// What takes longer than this is told. What is over before costs no status write.
const (
	// podPatience is for a Pod beyond its grace period, and for one that is known not to get going.
	podPatience = 5 * time.Second
	// startPatience is for a Pod that may only be slow: a busy scheduler, large images and volumes take their time, and so do
	// containers that end after the one that they serve.
	startPatience = 60 * time.Second
	// configMapPatience is for a ConfigMap after its last Pod has gone. The garbage collector may be busy.
	configMapPatience = 20 * time.Second
	// collectorPatience is when the garbage collector has had time enough (forceConfigMap).
	collectorPatience = time.Minute
)

// waiting returns what the Framework waits for; waits is false if there is nothing worth telling. What it says changes
// only with what there is to say.
func (r *round) waiting() (what Blocker, waits bool) {
	blockers := r.in.Observed.Blockers
	if len(blockers) > 0 && !blockers[0].Minor {
		return r.blocked(blockers[0]), true // also of its own deletion, when it has ended
	}
	if ended(r.status.State) {
		return Blocker{}, false
	}
	if r.tooManyTasks() {
		return r.noRoom(), true
	}
	if what, blocked := r.startBlocked(); blocked {
		return what, true
	}
	late := r.overdueStalls()
	switch terminating := late[ReasonPodTerminating]; {
	case len(terminating) > 0:
		return r.podTerminating(terminating), true
	case r.configMapLate(configMapPatience):
		return r.configMapTerminating(), true
	}
	for _, reason := range stallReasons {
		if len(late[reason]) > 0 {
			return r.stalled(reason, late[reason]), true
		}
	}
	if len(blockers) > 0 {
		return r.blocked(blockers[0]), true
	}
	return r.startsLater()
}

// overdueStalls lists by reason, in a fixed order, the Tasks whose Pods stay for too long. It has those looked at in time that
// do not yet.
func (r *round) overdueStalls() map[string][]TaskRef {
	if len(r.in.Observed.Stalls) == 0 {
		return nil // as in nearly every round
	}
	late := map[string][]TaskRef{}
	var next time.Time
	for ref, stall := range r.in.Observed.Stalls {
		if stall.over(r.in.Now) || !r.concerns(ref, stall) {
			continue
		}
		due := stall.Until
		if !r.in.Now.Before(due) {
			late[stall.Reason] = append(late[stall.Reason], ref)
			due = stall.Over
		}
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	if !next.IsZero() {
		r.wakeAt(next)
	}
	for _, refs := range late {
		slices.SortFunc(refs, compareRefs)
	}
	return late
}

// concerns reports whether a Pod that stays keeps the Framework from going on.
func (r *round) concerns(ref TaskRef, stall Stall) bool {
	cm := r.in.Observed.ConfigMap.ConfigMap
	if stall.terminating() && cm != nil && cm.UID == stall.ConfigMapUID && (r.configMap() != nil || r.stale()) {
		return !stall.Held || cm.Deleting || r.waitsForName(ref)
	}
	t := r.task(ref)
	if t == nil || ended(t.State) || t.AttemptStatus.PodUID == nil || *t.AttemptStatus.PodUID != stall.UID {
		return false
	}
	return stall.terminating() || !r.completing() && !r.in.Framework.Deleting
}

// task returns the status of a Task; nil if there is none.
func (r *round) task(ref TaskRef) *v1.TaskStatus {
	if role := r.roleNamed(ref.Role); role != nil && role.has(ref.Index) {
		return role.tasks[ref.Index]
	}
	return nil
}

// configMapLate reports whether our ConfigMap has been terminating for so long although none of its Pods is.
func (r *round) configMapLate(patience time.Duration) bool {
	cm := r.in.Observed.ConfigMap.ConfigMap
	if cm == nil || !cm.Deleting || r.configMap() == nil && !r.stale() {
		return false
	}
	for ref, stall := range r.in.Observed.Stalls {
		if stall.terminating() && !stall.Held && r.concerns(ref, stall) {
			return false
		}
	}
	due := r.lastPodGone(cm.TerminationStart).Add(patience)
	if r.in.Now.Before(due) {
		r.wakeAt(due)
		return false
	}
	return true
}

// lastPodGone returns when the attempt's last Pod has gone, but not a time before the given one.
func (r *round) lastPodGone(from time.Time) time.Time {
	for t := range r.tasks {
		if at := t.status().AttemptStatus.CompletionTime; at != nil && at.Time.After(from) {
			from = at.Time
		}
	}
	return from
}

func (r *round) podTerminating(late []TaskRef) Blocker {
	stall := r.in.Observed.Stalls[late[0]]
	return Blocker{Reason: ReasonPodTerminating, Message: fmt.Sprintf(
		"Pod %s has been terminating since %s, and its grace period is over: %s%s",
		r.podName(late[0]), stamp(stall.Since), r.whyTerminating(late[0].Role, stall), others(late))}
}

// whyTerminating says what may keep a Pod from going, and what would end that.
func (r *round) whyTerminating(role string, stall Stall) string {
	finalizer := "it has a finalizer"
	if stall.Finalizers != "" {
		finalizer += ", " + stall.Finalizers
	}
	switch {
	case stall.Held:
		return "it runs nothing any more, but " + finalizer
	case stall.Node == "":
		return finalizer
	case r.timeout(role) != nil:
		return fmt.Sprintf("node %s does not confirm, or %s", stall.Node, finalizer)
	}
	return fmt.Sprintf("node %s does not confirm (podGracefulDeletionTimeoutSec would end that), or %s", stall.Node, finalizer)
}

func (r *round) configMapTerminating() Blocker {
	return Blocker{Reason: ReasonConfigMapTerminating, Message: fmt.Sprintf(
		"ConfigMap %s has been terminating since %s, and none of its Pods is: it has a finalizer, or the garbage collector does not run",
		v1.ConfigMapName(r.in.Framework.Name), stamp(r.in.Observed.ConfigMap.ConfigMap.TerminationStart))}
}

func (r *round) podName(ref TaskRef) string {
	return v1.PodName(r.in.Framework.Name, ref.Role, ref.Index)
}

// others says that there are more than the first.
func others(late []TaskRef) string {
	if len(late) == 1 {
		return ""
	}
	return fmt.Sprintf("; and so for %s more", atLeast(len(late)-1))
}

// more is others within a sentence.
func more(late []TaskRef) string {
	if len(late) == 1 {
		return ""
	}
	return fmt.Sprintf(" and %s more", atLeast(len(late)-1))
}

// atLeast is a number that changes rarely as it grows: each change is a status write.
func atLeast(n int) string {
	for _, many := range []int{5000, 1000, 500, 100, 50, 10} {
		if n > many {
			return fmt.Sprintf("over %d", many)
		}
	}
	return fmt.Sprint(n)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func compareRefs(a, b TaskRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index))
}
