package lifecycle_test

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// naiveDeadline is one deadline of a startDeadline, as the author of a Framework would describe it.
type naiveDeadline struct {
	phrase string
	limit  func(*v1.StartDeadlineSpec) int32
	since  func(*v1.PendingSince) *metav1.Time
	// holds reports whether the Pod is in the situation that the deadline limits.
	holds func(*lifecycle.Pod) bool
}

var deadlines = []naiveDeadline{
	{"PodUnschedulable", func(s *v1.StartDeadlineSpec) int32 { return s.UnscheduledSec },
		func(p *v1.PendingSince) *metav1.Time { return p.Unscheduled },
		func(p *lifecycle.Pod) bool {
			return p.NodeName == "" && slices.Contains([]string{"Unschedulable", "PodNotScheduled"}, causeOf(p))
		}},
	{"PodImagePullFailed", func(s *v1.StartDeadlineSpec) int32 { return s.ImagePullSec },
		func(p *v1.PendingSince) *metav1.Time { return p.ImagePull },
		func(p *lifecycle.Pod) bool { return causeOf(p) == "ImageNotPulled" }},
	{"PodContainerCreateFailed", func(s *v1.StartDeadlineSpec) int32 { return s.ContainerCreateSec },
		func(p *v1.PendingSince) *metav1.Time { return p.ContainerCreate },
		func(p *lifecycle.Pod) bool { return causeOf(p) == "ContainerNotStarted" }},
	{"PodStartTimeout", func(s *v1.StartDeadlineSpec) int32 { return s.NotRunningSec },
		func(p *v1.PendingSince) *metav1.Time { return p.NotRunning },
		func(p *lifecycle.Pod) bool { return p.NodeName != "" && p.Unstarted }},
}

func causeOf(p *lifecycle.Pod) string {
	if p.StallCause == nil {
		return ""
	}
	return string(p.StallCause.Reason)
}

// lawStartDeadline: a deadline fails an attempt when its time is over, not before, and only if the Pod is in the situation that
// it limits; the beginning of that situation is stored when it is first seen.
func (c *checker) lawStartDeadline(in lifecycle.Input, out lifecycle.Output) {
	eachTask(out.State, func(ref lifecycle.TaskRef, after *v1.TaskStatus) {
		var before *v1.TaskStatus
		if in.Saved != nil {
			before = in.Saved.Task(ref)
		}
		if before == nil || before.InstanceUID != after.InstanceUID || before.AttemptStatus.ID != after.AttemptStatus.ID {
			before = &v1.TaskStatus{}
		}
		c.lawPendingSince(in, ref, before, after)
		for _, d := range deadlines {
			c.lawDeadline(in, out, d, ref, before, after)
		}
	})
}

// lawPendingSince: times are kept while the attempt's Pod is seen and does not run, begin now, and stay when it ends.
func (c *checker) lawPendingSince(in lifecycle.Input, ref lifecycle.TaskRef, before, after *v1.TaskStatus) {
	p := after.AttemptStatus.PendingSince
	if p == nil {
		return
	}
	switch after.State {
	case v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptRunning:
		c.violationf("start deadline: only of a Pod that does not run", "%s %s", ref, text(after))
	}
	for _, d := range deadlines {
		was, is := (*metav1.Time)(nil), d.since(p)
		if b := before.AttemptStatus.PendingSince; b != nil {
			was = d.since(b)
		}
		if is != nil && !is.Equal(was) && !is.Time.Equal(in.Now.Truncate(time.Second)) {
			c.violationf("start deadline: time begins when it is seen", "%s %s: %s", ref, d.phrase, text(after))
		}
	}
}

func (c *checker) lawDeadline(in lifecycle.Input, out lifecycle.Output, d naiveDeadline, ref lifecycle.TaskRef, before, after *v1.TaskStatus) {
	outcome := after.AttemptStatus.CompletionStatus
	undecided := before.State == v1.AttemptPreparing && before.AttemptStatus.CompletionStatus == nil
	fired := before.AttemptStatus.CompletionStatus == nil && outcome != nil && outcome.Phrase == d.phrase && outcome.Source == nil
	pod, looked := viewOf(in, ref)
	stays := pod != nil && !pod.Deleting && pod.Phase == lifecycle.PodPending &&
		before.AttemptStatus.PodUID != nil && pod.UID == *before.AttemptStatus.PodUID && d.holds(pod) && !lasts(in, pod)
	due := stays && undecided && isStartDue(in, d, ref.Role, before)
	switch {
	case fired && !due:
		c.violationf("start deadline: not before its time, and only for what it names", "%s %s -> %s", ref, text(before), text(after))
	case due && looked && outcome == nil && !exempt(in, out, ref, after):
		c.violationf("start deadline: in time", "%s %s: %s", ref, d.phrase, text(after))
	}
}

// viewOf returns the observed Pod of a Task, and whether this round looks at it.
func viewOf(in lifecycle.Input, ref lifecycle.TaskRef) (pod *lifecycle.Pod, looked bool) {
	view, listed := in.Observed.Pods[ref]
	if view.Pod != nil && view.Pod.UID == view.Gone {
		view.Pod = nil
	}
	return view.Pod, listed
}

func lasts(in lifecycle.Input, pod *lifecycle.Pod) bool {
	return pod.StallCause != nil && !pod.StallCause.Over.IsZero() && !in.Now.Before(pod.StallCause.Over)
}

func isStartDue(in lifecycle.Input, d naiveDeadline, role string, before *v1.TaskStatus) bool {
	i := slices.IndexFunc(in.Framework.Spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == role })
	p := before.AttemptStatus.PendingSince
	if i < 0 || p == nil || d.since(p) == nil {
		return false
	}
	spec := in.Framework.Spec.TaskRoles[i].Task.StartDeadline
	if spec == nil || d.limit(spec) <= 0 || d.since(p).After(in.Now) {
		return false
	}
	return !in.Now.Before(d.since(p).Add(time.Duration(d.limit(spec)) * time.Second))
}

// exempt reports whether a Pod may stay although its time is over: a plugin is asked, or has more patience, or there is nothing
// left to give up.
func exempt(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef, after *v1.TaskStatus) bool {
	state := out.State.Framework().State
	live := state == v1.AttemptPreparing || state == v1.AttemptRunning
	if !live || in.Framework.Deleting || after.State != v1.AttemptPreparing || !showsConfigMap(in.Observed, out.State.Framework()) {
		return true
	}
	if !in.Asking.Start {
		return false
	}
	asks := slices.ContainsFunc(out.Actions, func(a lifecycle.Action) bool {
		judge, ok := a.(lifecycle.JudgeStart)
		return ok && judge.Task == ref
	})
	v := in.Observed.Pods[ref].StartVerdict
	return asks || v != nil && v.Until.After(in.Now)
}

// lawFiresOnce: the outcome of an ended attempt never changes.
func (c *checker) lawFiresOnce(state *lifecycle.State) {
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		a := &task.AttemptStatus
		if a.InstanceUID == nil || a.CompletionStatus == nil {
			return
		}
		if c.ends == nil {
			c.ends = map[string]int32{}
		}
		if code, ended := c.ends[*a.InstanceUID]; ended && code != a.CompletionStatus.Code {
			c.violationf("start deadline: fires once", "%s: %d and then %d", ref, code, a.CompletionStatus.Code)
		}
		c.ends[*a.InstanceUID] = a.CompletionStatus.Code
	})
}
