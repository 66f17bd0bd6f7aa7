package lifecycle_test

import (
	"reflect"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawForward: the fields of one Framework that clients read only move forward (contract 2.11, P2, P3, S2a).
func (c *checker) lawForward(where string, before, after *lifecycle.State) {
	if before == nil {
		return
	}
	a, b := before.Framework(), after.Framework()
	c.lawCounters(where, "framework", a.RetryPolicyStatus, b.RetryPolicyStatus)
	c.lawFirstTimes(where, "framework", a.StartTime, b.StartTime, a.RunTime, b.RunTime)
	if a.AttemptStatus.ID != b.AttemptStatus.ID {
		if a.State != v1.AttemptCompleted {
			c.violationf("P1: a dropped attempt is stored as completed", "%s: it is in %s", where, a.State)
		}
		return
	}
	c.once(where, "framework.configMapUID", a.AttemptStatus.ConfigMapUID, b.AttemptStatus.ConfigMapUID)
	c.once(where, "framework.instanceUID", a.AttemptStatus.InstanceUID, b.AttemptStatus.InstanceUID)
	c.once(where, "framework.completionStatus", a.AttemptStatus.CompletionStatus, b.AttemptStatus.CompletionStatus)
	eachTask(before, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		c.lawTaskForward(where, ref, task, after.Task(ref))
	})
}

func (c *checker) lawTaskForward(where string, ref lifecycle.TaskRef, a, b *v1.TaskStatus) {
	first := a.InstanceUID == "" && a.AttemptStatus.AwaitsTurn // its UID is set at its first turn
	if b == nil || a.InstanceUID != b.InstanceUID && !first {
		if !a.DeletionPending || a.State != v1.Completed {
			c.violationf("P1: a dropped Task is stored as flagged and completed", "%s: %s %s", where, ref, text(a))
		}
		return
	}
	if a.DeletionPending && !b.DeletionPending {
		c.violationf("S2a: a flag is never taken back", "%s: %s", where, ref)
	}
	c.lawCounters(where, ref.String(), a.RetryPolicyStatus, b.RetryPolicyStatus)
	c.lawFirstTimes(where, ref.String(), a.StartTime, b.StartTime, a.RunTime, b.RunTime)
	if a.AttemptStatus.ID != b.AttemptStatus.ID {
		if a.State != v1.AttemptCompleted {
			c.violationf("P1: a dropped attempt is stored as completed", "%s: %s is in %s", where, ref, a.State)
		}
		return
	}
	c.once(where, ref.String()+".podUID", a.AttemptStatus.PodUID, b.AttemptStatus.PodUID)
	c.once(where, ref.String()+".instanceUID", a.AttemptStatus.InstanceUID, b.AttemptStatus.InstanceUID)
	c.once(where, ref.String()+".completionStatus", a.AttemptStatus.CompletionStatus, b.AttemptStatus.CompletionStatus)
}

// lawCounters: counters only grow, by one at a time, and accountable retries are among all retries.
func (c *checker) lawCounters(where, who string, a, b v1.RetryPolicyStatus) {
	total, accountable := b.TotalRetriedCount-a.TotalRetriedCount, b.AccountableRetriedCount-a.AccountableRetriedCount
	if total < 0 || total > 1 || accountable < 0 || accountable > total {
		c.violationf("P3: counters", "%s: %s %s -> %s", where, who, text(a), text(b))
	}
}

func (c *checker) lawFirstTimes(where, who string, start, nextStart, run, nextRun any) {
	if text(start) != text(nextStart) {
		c.violationf("P2: startTime stays", "%s: %s %v -> %v", where, who, start, nextStart)
	}
	c.once(where, who+".runTime", run, nextRun)
}

// once: a value that is set never changes. Both arguments are pointers.
func (c *checker) once(where, what string, a, b any) {
	if !reflect.ValueOf(a).IsNil() && text(a) != text(b) {
		c.violationf("P2: written once", "%s: %s %s -> %s", where, what, text(a), text(b))
	}
}
