package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Reasons of the condition Waiting that are decided here. Others come with the obstacles.
const (
	ReasonPodTerminating       = "PodTerminating"
	ReasonConfigMapTerminating = "ConfigMapTerminating"
	ReasonUnschedulable        = "Unschedulable"
)

// What takes longer than this is told. What is over before costs no status write.
const (
	// podPatience is for a Pod beyond its grace period, and for one for which no node was found.
	podPatience = 5 * time.Second
	// configMapPatience is for a ConfigMap after its last Pod has gone. The garbage collector may be busy.
	configMapPatience = 20 * time.Second
)

// waiting returns what the Framework waits for; waits is false if there is nothing worth telling. What it says changes
// only with what there is to say.
func (r *round) waiting() (what Obstacle, waits bool) {
	if ended(r.status.State) {
		return Obstacle{}, false
	}
	if obstacles := r.in.Observed.Obstacles; len(obstacles) > 0 {
		return obstacles[0], true
	}
	terminating, unschedulable := r.lateStays()
	switch {
	case len(terminating) > 0:
		return r.podTerminating(terminating), true
	case r.configMapLate():
		return r.configMapTerminating(), true
	case len(unschedulable) > 0:
		return r.unschedulable(unschedulable), true
	}
	return Obstacle{}, false
}

// lateStays lists, in a fixed order, the Tasks whose Pods stay for too long, and has those looked at in time that
// do not yet.
func (r *round) lateStays() (terminating, unschedulable []TaskRef) {
	var next time.Time
	for ref, stay := range r.in.Observed.Stays {
		if !r.concerns(ref, stay) {
			continue
		}
		switch due := stay.Until.Add(podPatience); {
		case r.in.Now.Before(due):
			if next.IsZero() || due.Before(next) {
				next = due
			}
		case stay.Terminating:
			terminating = append(terminating, ref)
		default:
			unschedulable = append(unschedulable, ref)
		}
	}
	if !next.IsZero() {
		r.wakeAt(next)
	}
	slices.SortFunc(terminating, compareRefs)
	slices.SortFunc(unschedulable, compareRefs)
	return terminating, unschedulable
}

// concerns reports whether a Pod that stays keeps the Framework from going on.
func (r *round) concerns(ref TaskRef, stay Stay) bool {
	cm := r.in.Observed.ConfigMap.ConfigMap
	if stay.Terminating && cm != nil && cm.UID == stay.ConfigMapUID && (r.configMap() != nil || r.stale()) {
		return true
	}
	t := r.task(ref)
	if t == nil || ended(t.State) || t.AttemptStatus.PodUID == nil || *t.AttemptStatus.PodUID != stay.UID {
		return false
	}
	return stay.Terminating || !r.completing() && !r.in.Framework.Deleting
}

// task returns the status of a Task; nil if there is none.
func (r *round) task(ref TaskRef) *v1.TaskStatus {
	if role := r.roleNamed(ref.Role); role != nil && role.has(ref.Index) {
		return role.tasks[ref.Index]
	}
	return nil
}

// configMapLate reports whether our ConfigMap terminates for too long although none of its Pods does.
func (r *round) configMapLate() bool {
	cm := r.in.Observed.ConfigMap.ConfigMap
	if cm == nil || !cm.Deleting || r.configMap() == nil && !r.stale() {
		return false
	}
	for ref, stay := range r.in.Observed.Stays {
		if stay.Terminating && r.concerns(ref, stay) {
			return false
		}
	}
	due := r.lastPodGone(cm.TerminationStart).Add(configMapPatience)
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

func (r *round) podTerminating(late []TaskRef) Obstacle {
	since := stamp(r.in.Observed.Stays[late[0]].Since)
	return Obstacle{ReasonPodTerminating, fmt.Sprintf(
		"Pod %s has been terminating since %s, and its grace period is over: its node does not confirm, or it has a finalizer%s",
		r.podName(late[0]), since, others(late))}
}

func (r *round) configMapTerminating() Obstacle {
	return Obstacle{ReasonConfigMapTerminating, fmt.Sprintf(
		"ConfigMap %s has been terminating since %s, and none of its Pods is: it has a finalizer, or the garbage collector does not run",
		v1.ConfigMapName(r.in.Framework.Name), stamp(r.in.Observed.ConfigMap.ConfigMap.TerminationStart))}
}

func (r *round) unschedulable(late []TaskRef) Obstacle {
	return Obstacle{ReasonUnschedulable, fmt.Sprintf("no node was found for Pod %s%s", r.podName(late[0]), others(late))}
}

func (r *round) podName(ref TaskRef) string {
	return v1.PodName(r.in.Framework.Name, ref.Role, ref.Index)
}

// others says how many more there are than the first.
func others(late []TaskRef) string {
	if n := len(late) - 1; n > 0 {
		return fmt.Sprintf("; and so for %d more", n)
	}
	return ""
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func compareRefs(a, b TaskRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index))
}
