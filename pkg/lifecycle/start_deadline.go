package lifecycle

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// A Pod may never get to run, and never fail. What keeps it from running is one of a few kinds of things, and a Framework may
// set a deadline for each. Since when it does is stored: neither Pods nor kubelets say so, and another controller is to go on
// counting where this one has stopped. A deadline fails the attempt once, as the Pod is deleted then.

// startKind is a kind of thing that keeps a Pod from running.
type startKind struct {
	// name of it in questions to plugins, field of its deadline, and code of an attempt that fails by it.
	name, field string
	code        completion.Code

	limit func(*v1.StartDeadlineSpec) int32
	since func(*v1.PendingSince) **metav1.Time
	keeps func(*Pod) bool
}

// startKinds has those that say most of a Pod first.
var startKinds = []startKind{
	{"Unscheduled", "unscheduledSec", completion.CodePodUnschedulable,
		func(d *v1.StartDeadlineSpec) int32 { return d.UnscheduledSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.Unscheduled },
		func(p *Pod) bool {
			return p.NodeName == "" && (p.stallsBy(ReasonUnschedulable) || p.stallsBy(ReasonPodNotScheduled))
		}},
	{"ImagePull", "imagePullSec", completion.CodePodImagePullFailed,
		func(d *v1.StartDeadlineSpec) int32 { return d.ImagePullSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.ImagePull },
		func(p *Pod) bool { return p.stallsBy(ReasonImageNotPulled) }},
	{"ContainerCreate", "containerCreateSec", completion.CodePodContainerCreateFailed,
		func(d *v1.StartDeadlineSpec) int32 { return d.ContainerCreateSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.ContainerCreate },
		func(p *Pod) bool { return p.stallsBy(ReasonContainerNotStarted) }},
	{"NotRunning", "notRunningSec", completion.CodePodStartTimeout,
		func(d *v1.StartDeadlineSpec) int32 { return d.NotRunningSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.NotRunning },
		func(p *Pod) bool { return p.Unstarted }},
}

func (p *Pod) stallsBy(reason string) bool {
	return p.StallCause != nil && p.StallCause.Reason == reason
}

// startDeadline is what the Framework sets for the Task; nil if nothing.
func (t task) startDeadline() *v1.StartDeadlineSpec {
	if t.role.spec == nil {
		return nil
	}
	return t.role.spec.Task.StartDeadline
}

// startsTooLate decides the attempt of a Pod that does not get to run, if its time is over or a plugin gives it up. It reports
// whether it has. Until then it has the Pod looked at in time.
func (t task) startsTooLate(pod *Pod) bool {
	if t.status().State != v1.AttemptPreparing || !t.undecided() || t.r.completing() || t.r.in.Framework.Deleting {
		return false
	}
	spec := t.startDeadline()
	t.setPendingSince(t.pendingSince(spec, pod))
	pending := t.status().AttemptStatus.PendingSince
	if pending == nil {
		return false
	}
	kind, due := firstDeadline(spec, pending)
	if t.r.in.Asking.Start {
		return t.judgeStart(pod, pending, kind, due)
	}
	return t.atDeadline(pod, kind, due)
}

// pendingSince returns since when what keeps the Pod does, nil if nothing does. What was stored goes on; a time in the future,
// as of a clock that was put back, would be one that never comes.
func (t task) pendingSince(spec *v1.StartDeadlineSpec, pod *Pod) *v1.PendingSince {
	if spec == nil {
		return nil
	}
	stored := t.status().AttemptStatus.PendingSince
	if stored == nil {
		stored = &v1.PendingSince{}
	}
	next, any := v1.PendingSince{}, false
	for _, kind := range startKinds {
		if !kind.keeps(pod) || t.believedToLast(pod) {
			continue
		}
		since := *kind.since(stored)
		if since == nil || since.After(t.r.now.Time) {
			since = &metav1.Time{Time: t.r.now.Time}
		}
		*kind.since(&next), any = since, true
	}
	if !any {
		return nil
	}
	return &next
}

// believedToLast reports whether an init container that was started again and again runs for so long now that it counts as one
// that runs.
func (t task) believedToLast(pod *Pod) bool {
	if pod.StallCause == nil || pod.StallCause.Over.IsZero() {
		return false
	}
	if t.r.in.Now.Before(pod.StallCause.Over) {
		t.r.wakeAt(pod.StallCause.Over)
		return false
	}
	return true
}

func (t task) setPendingSince(p *v1.PendingSince) {
	if !equalPending(t.status().AttemptStatus.PendingSince, p) {
		t.update(func(s *v1.TaskStatus) { s.AttemptStatus.PendingSince = p })
	}
}

func equalPending(a, b *v1.PendingSince) bool {
	if a == nil || b == nil {
		return a == b
	}
	for _, kind := range startKinds {
		if !(*kind.since(a)).Equal(*kind.since(b)) {
			return false
		}
	}
	return true
}

// firstDeadline returns the kind whose deadline is the first to be over, and when that is; nil if there is no deadline for
// what keeps the Pod.
func firstDeadline(spec *v1.StartDeadlineSpec, pending *v1.PendingSince) (first *startKind, due time.Time) {
	for i := range startKinds {
		kind := &startKinds[i]
		since, limit := *kind.since(pending), kind.limit(spec)
		if since == nil || limit <= 0 {
			continue
		}
		if over := since.Add(seconds(int64(limit))); first == nil || over.Before(due) {
			first, due = kind, over
		}
	}
	return first, due
}

// atDeadline fails the attempt if the deadline, if there is one, is over. Of a Pod that must avoid nodes it is not known yet
// that there is none.
func (t task) atDeadline(pod *Pod, kind *startKind, due time.Time) bool {
	if kind == nil {
		return false
	}
	if t.r.now.Time.Before(due) {
		t.r.wakeAt(due)
		return false
	}
	if kind.code == completion.CodePodUnschedulable && pod.AvoidsStrictly {
		t.relax(pod) // nobody but us has said that it must
		return true
	}
	t.decideCode(kind.code, fmt.Sprintf("startDeadline.%s of %d s is over: %s",
		kind.field, kind.limit(t.startDeadline()), pod.whyPending()))
	return true
}

// whyPending says what keeps a Pod from running, in the words of scheduler or kubelet if there are any.
func (p *Pod) whyPending() string {
	if p.StallCause == nil {
		return "not all of its containers have started" + onNode(p.NodeName)
	}
	what := Stall{StallCause: *p.StallCause}.what() + onNode(p.NodeName)
	if p.StallCause.Words != "" {
		what += ": " + p.StallCause.Words
	}
	return what
}
