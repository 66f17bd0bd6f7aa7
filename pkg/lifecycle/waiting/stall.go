package waiting

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Stall is why a Pod makes no progress: it terminates, or does not get going. Both are usually over soon; a wait that
// lasts is reported.
type Stall struct {
	// UID of the Pod, and of its controlling ConfigMap; the latter is empty if another object controls it, or none.
	UID, ConfigMapUID types.UID
	// Cause is why the Pod does not get going. If it terminates, Reason is PodTerminating, Since when it began and Over zero.
	Cause
	// Node that the Pod is on; empty if it is on none.
	Node string
	// Finalizers of the Pod, separated by commas; Held: nothing else keeps it.
	Finalizers string
	Held       bool
	// Until when it may stay without a report.
	Until time.Time
}

// Cause is why a Pod that has not ended does not get going. It is an observation, on which the condition Waiting depends, and, if
// the Framework sets a startDeadline, how long the Pod may stay like this.
type Cause struct {
	// Reason is one of stallReasons.
	Reason reason.Waiting
	// Container that it is about; empty if it is about the Pod.
	Container string
	// Left names the containers that run on although Container has ended; empty for other reasons.
	Left string
	// Words of the scheduler or the kubelet, in one short line; empty if there are none. They may change at any time.
	Words string
	// Since when the Pod might have got going.
	Since time.Time
	// AvoidanceBars: by the scheduler's words, nodes are left out that the Pod must not go to, and no other node can come to fit by
	// itself.
	AvoidanceBars bool
	// Over is when it counts as over although the Pod still shows it; zero if it does not go by time.
	Over time.Time
}

// A wait is reported when it takes longer than this. One that is over before costs no status write.
const (
	// PodPatience is for a Pod beyond its grace period, and for one that is known not to get going.
	PodPatience = 5 * time.Second
	// StartPatience is for a Pod that may only be slow: a busy scheduler, large images and volumes take their time, and so do
	// containers that end after the one that they serve.
	StartPatience = 60 * time.Second
	// configMapPatience is for a ConfigMap after its last Pod has gone. The garbage collector may be busy.
	configMapPatience = 20 * time.Second
)

// stallReasons are the reasons why Pods do not get going, in the order in which they are reported. What a person has to see to
// comes before what may pass by itself.
var stallReasons = []reason.Waiting{
	reason.Unschedulable, reason.ImageNotPulled, reason.ContainerNotStarted, reason.ContainerCrashing,
	reason.ContainersLeft, reason.SchedulingGated, reason.PodNotScheduled, reason.PodNotStarted,
}

// Seen reports whether a wait for that reason is seen in Pods, the ConfigMap or the spec, rather than met by an action.
func Seen(why reason.Waiting) bool {
	switch why {
	case reason.TooManyTasks, reason.PodTerminating, reason.ConfigMapTerminating, reason.StartBlocked, reason.StartsLater,
		reason.NamesUnresolvable, reason.MemoryLimitReached, reason.ItemsNotReady, reason.ItemsChanged:
		return true
	}
	return slices.Contains(stallReasons, why)
}

// Terminating is the Stall of a Pod that terminates, whose grace period ends at end.
func Terminating(start, end time.Time) Stall {
	return Stall{Cause: Cause{Reason: reason.PodTerminating, Since: start}, Until: end.Add(PodPatience)}
}

// Stall returns the stall of a Pod that does not get going for this cause.
func (c Cause) Stall() Stall { return Stall{Cause: c, Until: c.Since.Add(c.Patience())} }

// Patience is how long a Pod may stall without a report.
func (c Cause) Patience() time.Duration {
	if c.Usual() || c.Reason == reason.ContainersLeft {
		return StartPatience
	}
	return PodPatience
}

// Usual reports whether every Pod stalls like this for a while: nobody has reported a problem.
func (c Cause) Usual() bool {
	return c.Reason == reason.PodNotStarted || c.Reason == reason.PodNotScheduled
}

func (s Stall) terminating() bool { return s.Reason == reason.PodTerminating }

// over reports whether the stall counts as over.
func (s Stall) over(now time.Time) bool { return !s.Over.IsZero() && !now.Before(s.Over) }

// overdue lists by reason, in a fixed order, the Tasks whose Pods have stalled for too long.
func (l *look) overdue() map[reason.Waiting][]Task {
	var late map[reason.Waiting][]Task
	for task, stall := range l.Tasks.Stalls {
		if stall.over(l.Now) || !l.concerns(task, stall) {
			continue
		}
		if l.Now.Before(stall.Until) {
			l.by(stall.Until)
			continue
		}
		if late == nil {
			late = map[reason.Waiting][]Task{}
		}
		late[stall.Reason] = append(late[stall.Reason], task)
		if !stall.Over.IsZero() {
			l.by(stall.Over)
		}
	}
	for _, tasks := range late {
		slices.SortFunc(tasks, Task.compare)
	}
	return late
}

// concerns reports whether a Pod that stalls keeps the Framework from going on.
func (l *look) concerns(task Task, stall Stall) bool {
	if cm := l.ConfigMap; stall.terminating() && cm != nil && cm.UID == stall.ConfigMapUID {
		return !stall.Held || cm.Deleting || l.needsName(task)
	}
	t := l.Tasks.Status(task)
	if t == nil || t.State == v1.AttemptCompleted || t.State == v1.Completed || t.AttemptStatus.PodUID == nil || *t.AttemptStatus.PodUID != stall.UID {
		return false
	}
	return stall.terminating() || !l.Completing && !l.Deleting
}

// needsName reports whether a Task gets no Pod before its name is free.
func (l *look) needsName(task Task) bool {
	t := l.Tasks.Status(task)
	return t != nil && t.State == v1.AttemptCreationPending && !l.Completing && !l.Deleting
}

// podTerminating is about the first of the Pods that do not go.
func (l *look) podTerminating(late []Task) Fact {
	stall := l.Tasks.Stall(late[0])
	f := l.about(late[0], stall, len(late)-1)
	f.Termination = Termination{stall.Finalizers, stall.Held, l.Tasks.Limited(late[0].Role)}
	return f
}

// stalled says why Pods do not get going. Words of others change all the time, as nodes come and go, and as each try fails in its
// own way; so the first ones that were stored are kept while everything else stays the same.
func (l *look) stalled(late []Task) Fact {
	why := l.Tasks.Stall(late[0]).Reason
	if why == reason.Unschedulable {
		return l.unschedulable(late)
	}
	f := l.about(late[0], l.Tasks.Stall(late[0]), len(late)-1)
	usual := Cause{Reason: why}.Usual() // the words are our own then
	if f.isAbout(l.Stored) && l.Stored.Message != "" && !usual {
		f.Words = l.Stored.Message
	}
	return f
}

// about is the fact about a Task whose Pod stalls, as more do for the same reason.
func (l *look) about(task Task, stall Stall, more int) Fact {
	f := Fact{Reason: stall.Reason, Words: stall.Words, More: more, Since: stall.Since, Left: stall.Left}
	f.Role, f.Index, f.Pod = task.Role, task.Index, v1.PodName(l.Framework, task.Role, task.Index)
	f.Node, f.Container = stall.Node, stall.Container
	return f
}
