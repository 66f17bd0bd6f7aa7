package lifecycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// StartVerdict says what is to become of a Pod that does not get to run. Without Status and Until nobody has an opinion, and
// the deadline decides.
type StartVerdict struct {
	// PodUID is that of the Pod, Kind what keeps it, and Since the time that was stored for that; a verdict on anything else is
	// ignored.
	PodUID types.UID
	Kind   string
	Since  metav1.Time
	// Status ends the attempt at once, if it is not nil.
	Status *v1.CompletionStatus
	// Advice and AvoidNode go with Status, as in Verdict.
	Advice    *v1.RetryAdvice
	AvoidNode *avoid.Advice
	// Until when the Pod may take, whatever the deadline says; it is asked about again then. Zero if nobody says so.
	Until time.Time
}

// PendingPod is what a plugin is told of a Pod that does not get to run.
type PendingPod struct {
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

// Pending returns what keeps the Pod of a Task from running by what is stored, and when its deadline is over; ok is false if
// nothing is stored. The Task may be nil.
func Pending(spec *v1.FrameworkSpec, role string, t *v1.TaskStatus) (p PendingPod, ok bool) {
	of := specsByName(spec)[role]
	if of == nil || of.Task.StartDeadline == nil || t == nil || t.AttemptStatus.PendingSince == nil {
		return PendingPod{}, false
	}
	pending := t.AttemptStatus.PendingSince
	kind := firstKind(pending)
	since := *kind.since(pending)
	if since == nil {
		return PendingPod{}, false
	}
	p = PendingPod{Kind: kind.name, Since: *since}
	if first, due := firstDeadline(of.Task.StartDeadline, pending); first != nil {
		p.Deadline, p.Field = due, first.field
	}
	return p, true
}

// firstKind returns the kind that says most. There is one, unless others have written the status.
func firstKind(pending *v1.PendingSince) *startKind {
	for i := range startKinds {
		if *startKinds[i].since(pending) != nil {
			return &startKinds[i]
		}
	}
	return &startKinds[len(startKinds)-1]
}

// judgeStart is atDeadline if plugins have a say. They are asked once it is worth to be told that the Pod does not get going,
// or at the deadline if that is before.
func (t task) judgeStart(pod *Pod, pending *v1.PendingSince, deadline *startKind, due time.Time) bool {
	kind := firstKind(pending)
	since := *kind.since(pending)
	v := t.view().StartVerdict
	switch {
	case v == nil || v.PodUID != pod.UID || v.Kind != kind.name || !v.Since.Equal(since):
		ask := since.Add(pod.startPatience())
		if deadline != nil && due.Before(ask) {
			ask = due
		}
		t.askAboutStart(pod, kind, ask)
		return false
	case v.Status != nil:
		s := *v.Status
		if s.Diagnostics == "" {
			s.Diagnostics = pod.whyPending()
		}
		t.decide(v1.TaskAttemptCompletionStatus{CompletionStatus: s, Advice: v.Advice})
		return true
	case !v.Until.IsZero():
		t.askAboutStart(pod, kind, v.Until)
		return false
	}
	return t.atDeadline(pod, deadline, due)
}

// givenUpAtStart returns the verdict by which an attempt ends so, if its Pod was given up before it ran; nil if it was not.
func (t task) givenUpAtStart(s *v1.TaskAttemptCompletionStatus) *StartVerdict {
	v, uid := t.view().StartVerdict, t.status().AttemptStatus.PodUID
	if v == nil || v.Status == nil || uid == nil || v.PodUID != *uid || s.Pod != nil || s.Source == nil || v.Status.Code != s.Code {
		return nil
	}
	return v
}

func (t task) askAboutStart(pod *Pod, kind *startKind, at time.Time) {
	if t.r.in.Now.Before(at) {
		t.r.wakeAt(at)
		return
	}
	t.r.do(JudgeStart{Task: t.ref(), UID: pod.UID, Kind: kind.name})
}

// startPatience is how long a Pod may not get to run until plugins are asked.
func (p *Pod) startPatience() time.Duration {
	if p.StallCause == nil {
		return startPatience
	}
	return p.StallCause.patience()
}
