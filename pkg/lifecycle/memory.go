package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A container that ran out of memory would run out of it again, so later Pods of its Task get more (retryPolicy.onOOM, or a plugin).
// Package memory computes how much. It is stored together with the failure, before there is another Pod, and is kept over attempts
// of the Framework.

// learnMemory returns the memory of later Pods after an attempt that ends so, and records the changes in the end. Nothing is
// raised without a retry.
func (t task) learnMemory(s *v1.TaskAttemptCompletionStatus) []v1.ContainerMemory {
	known, pod := t.status().Memory, t.pod()
	if s.Type.Name != v1.CompletionFailed || s.Pod == nil || pod == nil || t.role.spec == nil ||
		t.r.completing() || t.r.in.Framework.Deleting || t.status().DeletionPending {
		return known
	}
	advised := t.advisedMemory(s)
	lacking := pod.Outcome.OutOfMemory()
	if last, failed := pod.Outcome.FailedLast(); len(lacking) == 0 && advised > 0 && failed {
		lacking = []completion.Container{last}
	}
	next, changes := memory.Raise(known, lacking, memory.PolicyOf(t.role.spec.Task.RetryPolicy.OnOOM, advised))
	if len(changes) == 0 {
		return known
	}
	s.Memory = changes
	if byTask, byFramework := t.retriedAfter(s); !byTask && !byFramework {
		s.Memory = slices.DeleteFunc(changes, func(c v1.MemoryChange) bool { return c.Kept == "" })
		return known
	}
	return next
}

// advisedMemory is the factor advised by the plugin whose verdict ends the attempt; 0 if there is none.
func (t task) advisedMemory(s *v1.TaskAttemptCompletionStatus) float64 {
	if v := t.verdictOn(s); v != nil {
		return v.MemoryFactor
	}
	return 0
}

// verdictOn returns the verdict that ends an attempt whose Pod has failed; nil if there is none.
func (t task) verdictOn(s *v1.TaskAttemptCompletionStatus) *Verdict {
	v, uid := t.view().Verdict, t.status().AttemptStatus.PodUID
	if v == nil || uid == nil || v.PodUID != *uid || !t.r.in.Asking.Classification || s.Source == nil || v.Status.Code != s.Code {
		return nil
	}
	return v
}

// reportMemory reports the changes by an end to the memory of later Pods.
func (t task) reportMemory() {
	var raised, kept []string
	for _, c := range t.status().AttemptStatus.CompletionStatus.Memory {
		switch c.Kept {
		case v1.MemoryNoLimit:
			kept = append(kept, fmt.Sprintf("container %s has no memory limit that could be raised", c.Container))
		case v1.MemoryAtMaximum:
			kept = append(kept, fmt.Sprintf("the memory limit %s of container %s is the maximum", c.From, c.Container))
		default:
			raised = append(raised, fmt.Sprintf("container %s gets a memory limit of %s after %s", c.Container, c.To, c.From))
		}
	}
	if len(raised) > 0 {
		t.r.report(Event{Reason: reason.MemoryRaised, Facts: t.facts(nil), Message: fmt.Sprintf("Task %s: %s", t.ref(), strings.Join(raised, ", "))})
	}
	if len(kept) > 0 {
		t.r.report(Event{Warning: true, Reason: reason.MemoryKept, Facts: t.facts(nil), Message: fmt.Sprintf("Task %s: %s", t.ref(), strings.Join(kept, ", "))})
	}
}

// keepMemory gives the Tasks of a new attempt the memory that they had in the previous one.
func (r *round) keepMemory(before []*roleDraft) {
	for _, old := range before {
		role := r.roleNamed(old.name)
		if role == nil {
			continue
		}
		for i, t := range old.tasks {
			if len(t.Memory) > 0 && !t.DeletionPending && role.has(int32(i)) {
				role.update(int32(i), func(s *v1.TaskStatus) { s.Memory = t.Memory })
			}
		}
	}
}

// endingOf is the end of an attempt as the retry policies look at it.
func (t task) endingOf(s *v1.TaskAttemptCompletionStatus) retry.Ending {
	return retry.Ending{Status: s.CompletionStatus, Advice: s.Advice, Memory: s.Memory, Time: t.r.now.Time}
}
