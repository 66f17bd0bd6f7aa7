package lifecycle

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// startsTooLate ends the attempt of a Pod that does not start, if its deadline is over or a plugin gives it up (package
// deadline). It reports whether it has. Otherwise it makes sure that the Pod is looked at in time.
func (t task) startsTooLate(pod *Pod) bool {
	if t.status().State != v1.AttemptPreparing || !t.undecided() || t.r.completing() || t.r.in.Framework.Deleting {
		return false
	}
	pending := t.pendingSince(pod)
	t.setPendingSince(pending)
	if pending == nil {
		return false
	}
	verdict := t.view().StartVerdict
	d := deadline.Decide(deadline.Case{
		Spec: t.startDeadline(), Pending: pending, Now: t.r.in.Now,
		AskPlugins: t.r.in.Asking.Start, Patience: pod.startPatience(), PodUID: pod.UID, Verdict: verdict,
	})
	switch {
	case d.Over != nil && d.Over.Code == completion.CodePodUnschedulable && pod.AvoidsStrictly:
		t.relax(pod) // only we have required this, and without the requirement it may find a node
		return true
	case d.Over != nil:
		t.decideCode(d.Over.Code, fmt.Sprintf("startDeadline.%s of %d s is over: %s",
			d.Over.Field, d.Over.Limit(t.startDeadline()), waiting.Pending(pod.StallCause, pod.NodeName)))
		return true
	case d.Judged:
		s := *verdict.Status
		if s.Diagnostics == "" {
			s.Diagnostics = waiting.Pending(pod.StallCause, pod.NodeName)
		}
		t.decide(v1.TaskAttemptCompletionStatus{CompletionStatus: s, Advice: verdict.Advice})
		return true
	case d.Ask != nil:
		t.r.do(JudgeStart{Task: t.ref(), UID: pod.UID, Kind: d.Ask.Name})
	}
	if !d.LookAt.IsZero() {
		t.r.wakeAt(d.LookAt)
	}
	return false
}

// startDeadline returns the Framework's setting for the Task; nil if there is none.
func (t task) startDeadline() *v1.StartDeadlineSpec {
	if t.role.spec == nil {
		return nil
	}
	return t.role.spec.Task.StartDeadline
}

// pendingSince returns the causes that keep the Pod from running, with their start times; nil if there are none, or no deadline.
func (t task) pendingSince(pod *Pod) *v1.PendingSince {
	if t.startDeadline() == nil {
		return nil
	}
	known := deadline.Pod{HasNode: pod.NodeName != "", Unstarted: pod.Unstarted}
	if pod.StallCause != nil {
		known.Stall = pod.StallCause.Reason
	}
	pending := deadline.Since(t.status().AttemptStatus.PendingSince, known, t.r.now.Time)
	if pending == nil || t.believedToLast(pod) {
		return nil
	}
	return pending
}

func (t task) setPendingSince(p *v1.PendingSince) {
	if !deadline.Equal(t.status().AttemptStatus.PendingSince, p) {
		t.update(func(s *v1.TaskStatus) { s.AttemptStatus.PendingSince = p })
	}
}

// believedToLast reports whether a repeatedly restarted init container has run for long enough to count as running.
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

// givenUpAtStart returns the verdict by which an attempt ends so, if its Pod was given up before it ran; nil if it was not.
func (t task) givenUpAtStart(s *v1.TaskAttemptCompletionStatus) *deadline.Verdict {
	v, uid := t.view().StartVerdict, t.status().AttemptStatus.PodUID
	if v == nil || v.Status == nil || uid == nil || v.PodUID != *uid || s.Pod != nil || s.Source == nil || v.Status.Code != s.Code {
		return nil
	}
	return v
}

// startPatience is the time without a start after which plugins are asked about a Pod.
func (p *Pod) startPatience() time.Duration {
	if p.StallCause == nil {
		return waiting.StartPatience
	}
	return p.StallCause.Patience()
}
