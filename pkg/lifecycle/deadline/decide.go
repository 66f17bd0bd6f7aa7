package deadline

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// Verdict says what is to become of a Pod that does not get to run. Without Status and Until nobody has an opinion, and
// the deadline decides.
type Verdict struct {
	// PodUID is that of the Pod, Kind the name of what keeps it, and Since the time that was stored for that; a verdict on
	// anything else is ignored.
	PodUID types.UID
	Kind   string
	Since  metav1.Time
	// Status ends the attempt at once, if it is not nil.
	Status *v1.CompletionStatus
	// Advice and AvoidNode go with Status, as in the verdict on a failed Pod.
	Advice    *v1.RetryAdvice
	AvoidNode *avoid.Advice
	// Until when the Pod may take, whatever the deadline says; plugins are asked about it again then. Zero if nobody says so.
	Until time.Time
}

// Case is a pending Pod.
type Case struct {
	// Spec has the deadlines, and Pending what keeps the Pod; neither is nil.
	Spec    *v1.StartDeadlineSpec
	Pending *v1.PendingSince
	Now     time.Time
	// AskPlugins: plugins have a say. They are asked once the Pod has been pending for Patience, or at the deadline if that is
	// before.
	AskPlugins bool
	Patience   time.Duration
	// PodUID of the Pod, and the last verdict on a Pod of the Task; nil if there is none.
	PodUID  types.UID
	Verdict *Verdict
}

// Decision is what becomes of a pending Pod. The zero value lets it be.
type Decision struct {
	// Over is the kind whose deadline is over: the attempt fails with its code.
	Over *Kind
	// Judged: the verdict ends the attempt.
	Judged bool
	// Ask plugins about this kind.
	Ask *Kind
	// LookAt is when to decide again at the latest; zero if that does not go by time.
	LookAt time.Time
}

// Decide returns what becomes of a pending Pod.
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

// Pending is a pending Pod as plugins and people are told of it.
type Pending struct {
	// Kind of thing that keeps it: Unscheduled, ImagePull, ContainerCreate or NotRunning; and since when.
	Kind  string
	Since metav1.Time
	// Deadline is when the attempt fails by itself, and Field is that of startDeadline by which it does; zero if the Framework
	// sets none for what keeps the Pod.
	Deadline time.Time
	Field    string
	// Reason and Message are the words of scheduler or kubelet, and Container is what they are about; empty if there are none.
	// They are not stored: who asks adds them.
	Reason, Message, Container string
	// Now is the time of the question; who asks adds it, too.
	Now time.Time
}

// PendingOf returns what keeps the Pod of a Task from running by what is stored, and when its deadline is over; ok is false if
// nothing is stored. The Task may be nil.
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

// deadlinesOf returns the deadlines of a role, of which the first with that name counts; nil if there are none.
func deadlinesOf(spec *v1.FrameworkSpec, role string) *v1.StartDeadlineSpec {
	for i := range spec.TaskRoles {
		if spec.TaskRoles[i].Name == role {
			return spec.TaskRoles[i].Task.StartDeadline
		}
	}
	return nil
}
