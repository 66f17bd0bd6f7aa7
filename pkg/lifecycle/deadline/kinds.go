package deadline

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Kind is a kind of cause that keeps a Pod from running.
type Kind struct {
	// Name in questions to plugins: Unscheduled, ImagePull, ContainerCreate or NotRunning.
	Name string
	// Field of startDeadline that is its deadline.
	Field string
	// Code of an attempt that fails by the deadline.
	Code completion.Code

	limit func(*v1.StartDeadlineSpec) int32
	since func(*v1.PendingSince) **metav1.Time
	keeps func(Pod) bool
}

// kinds has the most specific first.
var kinds = []Kind{
	{"Unscheduled", "unscheduledSec", completion.CodePodUnschedulable,
		func(d *v1.StartDeadlineSpec) int32 { return d.UnscheduledSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.Unscheduled },
		func(p Pod) bool {
			return !p.HasNode && (p.Stall == reason.Unschedulable || p.Stall == reason.PodNotScheduled)
		}},
	{"ImagePull", "imagePullSec", completion.CodePodImagePullFailed,
		func(d *v1.StartDeadlineSpec) int32 { return d.ImagePullSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.ImagePull },
		func(p Pod) bool { return p.Stall == reason.ImageNotPulled }},
	{"ContainerCreate", "containerCreateSec", completion.CodePodContainerCreateFailed,
		func(d *v1.StartDeadlineSpec) int32 { return d.ContainerCreateSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.ContainerCreate },
		func(p Pod) bool { return p.Stall == reason.ContainerNotStarted }},
	{"NotRunning", "notRunningSec", completion.CodePodStartTimeout,
		func(d *v1.StartDeadlineSpec) int32 { return d.NotRunningSec },
		func(p *v1.PendingSince) **metav1.Time { return &p.NotRunning },
		func(p Pod) bool { return p.Unstarted }},
}

// Limit is the deadline of the kind, in seconds; 0 or less if there is none.
func (k *Kind) Limit(spec *v1.StartDeadlineSpec) int32 { return k.limit(spec) }

// Pod holds the known facts about a Pod that has not ended.
type Pod struct {
	HasNode bool
	// Stall is the reason why it does not start; empty if it starts, or no reason is known.
	Stall reason.Waiting
	// Unstarted: it has a node, and does not run yet, and none of its init containers runs.
	Unstarted bool
}

// Since returns the causes that keep the Pod, with their start times; nil if there are none. Stored start times (nil if none are
// stored) are kept. A start in the future, after a clock was put back, would never be reached, so it is replaced by now, which
// has whole seconds.
func Since(stored *v1.PendingSince, pod Pod, now time.Time) *v1.PendingSince {
	if stored == nil {
		stored = &v1.PendingSince{}
	}
	var next *v1.PendingSince
	for _, kind := range kinds {
		if !kind.keeps(pod) {
			continue
		}
		since := *kind.since(stored)
		if since == nil || since.After(now) {
			since = &metav1.Time{Time: now}
		}
		if next == nil {
			next = &v1.PendingSince{}
		}
		*kind.since(next) = since
	}
	return next
}

// Equal reports whether two are the same; either may be nil.
func Equal(a, b *v1.PendingSince) bool {
	if a == nil || b == nil {
		return a == b
	}
	for _, kind := range kinds {
		if !(*kind.since(a)).Equal(*kind.since(b)) {
			return false
		}
	}
	return true
}

// mostSpecific returns the most specific kind that keeps the Pod. There is one, unless others have written the status.
func mostSpecific(pending *v1.PendingSince) *Kind {
	for i := range kinds {
		if *kinds[i].since(pending) != nil {
			return &kinds[i]
		}
	}
	return &kinds[len(kinds)-1]
}

// first returns the kind whose deadline passes first, and that deadline; nil if no current cause has a deadline.
func first(spec *v1.StartDeadlineSpec, pending *v1.PendingSince) (first *Kind, due time.Time) {
	for i := range kinds {
		kind := &kinds[i]
		since, limit := *kind.since(pending), kind.limit(spec)
		if since == nil || limit <= 0 {
			continue
		}
		if over := since.Add(time.Duration(limit) * time.Second); first == nil || over.Before(due) {
			first, due = kind, over
		}
	}
	return first, due
}
