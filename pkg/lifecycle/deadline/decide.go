package deadline

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// Verdict is the answer of plugins about a Pod that does not start. Without Status and Until no plugin has an opinion, and the
// deadline decides.
type Verdict struct {
	// PodUID identifies the Pod, Kind is the name of the Kind that keeps it, and Since is the time stored for that Kind. A
	// verdict on anything else is ignored.
	PodUID types.UID
	Kind   string
	Since  metav1.Time
	// Status ends the attempt at once, if it is not nil.
	Status *v1.CompletionStatus
	// Advice and AvoidNode go with Status, as in the verdict on a failed Pod.
	Advice    *v1.RetryAdvice
	AvoidNode *avoid.Advice
	// Until replaces the deadline of the Pod. Plugins are asked again at that time. It is zero if no plugin gives the Pod more time.
	Until time.Time
}

// Case is a pending Pod.
type Case struct {
	// Spec has the deadlines, and Pending the causes that keep the Pod; neither is nil.
	Spec    *v1.StartDeadlineSpec
	Pending *v1.PendingSince
	Now     time.Time
	// AskPlugins: plugins may decide. They are asked once the Pod has been pending for Patience, or at the deadline if that is
	// before.
	AskPlugins bool
	Patience   time.Duration
	// PodUID identifies the Pod. Verdict is the last one on a Pod of the Task; nil if there is none.
	PodUID  types.UID
	Verdict *Verdict
}

// Decision about a pending Pod. The zero value leaves the Pod alone.
type Decision struct {
	// Over is the kind whose deadline has passed: the attempt fails with its code.
	Over *Kind
	// Judged: the verdict ends the attempt.
	Judged bool
	// Ask plugins about this kind.
	Ask *Kind
	// LookAt is the latest time of the next decision; zero if it does not depend on time.
	LookAt time.Time
}

// Decide returns the decision about a pending Pod.
func Decide(c Case) Decision {
	kind := mostSpecific(c.Pending)
	v, since := c.Verdict, *kind.since(c.Pending)
	switch {
	case !c.AskPlugins || since == nil:
		return c.atDeadline()
	case v == nil || v.PodUID != c.PodUID || v.Kind != kind.Name || !v.Since.Equal(since):
		ask := since.Add(c.Patience)
		if deadline, due := first(c.Spec, c.Pending); deadline != nil && due.Before(ask) {
			ask = due
		}
		return c.askAt(kind, ask)
	case v.Status != nil:
		return Decision{Judged: true}
	case !v.Until.IsZero():
		return c.askAt(kind, v.Until)
	}
	return c.atDeadline()
}

func (c Case) atDeadline() Decision {
	kind, due := first(c.Spec, c.Pending)
	switch {
	case kind == nil:
		return Decision{}
	case c.Now.Before(due):
		return Decision{LookAt: due}
	}
	return Decision{Over: kind}
}

func (c Case) askAt(kind *Kind, at time.Time) Decision {
	if c.Now.Before(at) {
		return Decision{LookAt: at}
	}
	return Decision{Ask: kind}
}

// Pending describes a pending Pod to plugins and users.
type Pending struct {
	// Kind of thing that keeps it: Unscheduled, ImagePull, ContainerCreate or NotRunning; and since when.
	Kind  string
	Since metav1.Time
	// Deadline is the time at which the attempt fails by itself, and Field is the field of startDeadline that sets it. Both are
	// zero if the Framework sets no deadline for the Kind.
	Deadline time.Time
	Field    string
	// Reason and Message are the words of the scheduler or kubelet about Container; empty if there are none. They are not stored:
	// the caller that asks plugins adds them.
	Reason, Message, Container string
	// Now is the time of the question; it is added by that caller, too.
	Now time.Time
}

// PendingOf returns the stored cause that keeps the Pod of a Task from running, and its deadline; ok is false if none is stored.
// The Task may be nil.
func PendingOf(spec *v1.FrameworkSpec, role string, t *v1.TaskStatus) (p Pending, ok bool) {
	deadlines := deadlinesOf(spec, role)
	if deadlines == nil || t == nil || t.AttemptStatus.PendingSince == nil {
		return Pending{}, false
	}
	pending := t.AttemptStatus.PendingSince
	kind := mostSpecific(pending)
	since := *kind.since(pending)
	if since == nil {
		return Pending{}, false
	}
	p = Pending{Kind: kind.Name, Since: *since}
	if first, due := first(deadlines, pending); first != nil {
		p.Deadline, p.Field = due, first.Field
	}
	return p, true
}

// deadlinesOf returns the deadlines of the first role with the name; nil if there are none.
func deadlinesOf(spec *v1.FrameworkSpec, role string) *v1.StartDeadlineSpec {
	for i := range spec.TaskRoles {
		if spec.TaskRoles[i].Name == role {
			return spec.TaskRoles[i].Task.StartDeadline
		}
	}
	return nil
}
