package lifecycle_test

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawActiveDeadline: -140 occurs no earlier than the running time allows, in the round that finds the time over; nothing follows.
// The time is never counted twice, and never forgotten.
func (c *checker) lawActiveDeadline(in lifecycle.Input, out lifecycle.Output) {
	limit, status, now := in.Framework.Spec.ActiveDeadlineSeconds, out.State.Framework(), in.Now.Truncate(time.Second)
	outcome := status.AttemptStatus.CompletionStatus
	exceeded := outcome != nil && outcome.Phrase == "DeadlineExceeded"
	var before *v1.FrameworkStatus
	if in.Saved != nil {
		before = in.Saved.Framework()
	}
	if newly := exceeded && (before == nil || before.AttemptStatus.CompletionStatus == nil); newly {
		if used := usedTime(before, now); limit == nil || used < *limit {
			c.violationf("active deadline: never early", "%d s of %v: %s", used, limit, text(out.State.Status()))
		}
	}
	live := before != nil && before.State == v1.AttemptRunning && status.State == v1.AttemptRunning
	if live && limit != nil && showsConfigMap(in.Observed, status) && usedTime(before, now) >= *limit {
		c.violationf("active deadline: in the round that finds the time over", "%s", text(out.State.Status()))
	}
	for _, move := range out.Moves {
		if move.Row == "F16" && before.AttemptStatus.CompletionStatus.Phrase == "DeadlineExceeded" {
			c.violationf("active deadline: no retry", "%s", text(out.State.Status()))
		}
	}
	c.lawActiveTime(before, status, now)
	if limit != nil && status.State == v1.AttemptRunning {
		c.lawLooksAgain(out, "active deadline", status.ActiveTime.Since.Add(time.Duration(*limit-status.ActiveTime.Seconds)*time.Second))
	}
	c.lawTaskDeadline(in, out, now)
}

// usedTime computes the used time from the timestamps that the status had before this field.
func usedTime(s *v1.FrameworkStatus, now time.Time) (used int64) {
	if s == nil {
		return 0
	}
	if s.ActiveTime != nil {
		used = s.ActiveTime.Seconds
	}
	if s.State != v1.AttemptRunning {
		return used
	}
	since := s.AttemptStatus.RunTime.Time
	if s.ActiveTime != nil && s.ActiveTime.Since != nil {
		since = s.ActiveTime.Since.Time
	}
	return used + max(int64(now.Sub(since)/time.Second), 0)
}

// lawActiveTime: the record runs exactly while the attempt does, and a round adds the time of the attempt that ends in it.
func (c *checker) lawActiveTime(before, after *v1.FrameworkStatus, now time.Time) {
	if after.ActiveTime == nil {
		if before != nil && before.ActiveTime != nil {
			c.violationf("active deadline: time is not forgotten", "%s -> %s", text(before), text(after))
		}
		return
	}
	if runs := after.ActiveTime.Since != nil; runs != (after.State == v1.AttemptRunning) {
		c.violationf("active deadline: counts exactly while the attempt runs", "%s", text(after))
	}
	want := usedTime(before, now)
	if after.State == v1.AttemptRunning { // the attempt is not counted yet
		want = 0
		if before != nil && before.ActiveTime != nil {
			want = before.ActiveTime.Seconds
		}
		if since := after.ActiveTime.Since; since.After(now) {
			c.violationf("active deadline: a time in the future would never come", "%s", text(after))
		}
	}
	if after.ActiveTime.Seconds != want {
		c.violationf("active deadline: each second counts once", "%d, not %d: %s -> %s", after.ActiveTime.Seconds, want, text(before), text(after))
	}
}

// lawTaskDeadline: -141 occurs when the attempt has run for its time, not before, and only for a running Task.
func (c *checker) lawTaskDeadline(in lifecycle.Input, out lifecycle.Output, now time.Time) {
	if in.Saved == nil {
		return
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, after *v1.TaskStatus) {
		before := in.Saved.Task(ref)
		if before == nil || before.InstanceUID != after.InstanceUID || before.AttemptStatus.ID != after.AttemptStatus.ID || before.AttemptStatus.CompletionStatus != nil {
			return
		}
		limit := taskDeadline(in.Framework.Spec, ref.Role)
		due := limit != nil && before.State == v1.AttemptRunning && !now.Before(before.AttemptStatus.RunTime.Add(time.Duration(*limit)*time.Second))
		outcome := after.AttemptStatus.CompletionStatus
		pod, looked := viewOf(in, ref)
		runs := pod != nil && !pod.Deleting && pod.Result() == lifecycle.PodRunning && before.AttemptStatus.PodUID != nil && pod.UID == *before.AttemptStatus.PodUID
		if limit != nil && looked && after.State == v1.AttemptRunning && runs && outcome == nil && out.State.Framework().State == v1.AttemptRunning && showsConfigMap(in.Observed, out.State.Framework()) {
			c.lawLooksAgain(out, "task deadline", after.AttemptStatus.RunTime.Add(time.Duration(*limit)*time.Second))
		}
		switch {
		case outcome != nil && outcome.Phrase == "TaskDeadlineExceeded" && !due:
			c.violationf("task deadline: never early", "%s %s -> %s", ref, text(before), text(after))
		case due && looked && runs && outcome == nil && out.State.Framework().State == v1.AttemptRunning && showsConfigMap(in.Observed, out.State.Framework()):
			c.violationf("task deadline: in time", "%s %s", ref, text(after))
		}
	})
}

// lawLooksAgain: a deadline may be the next thing that happens, so a round must ask to be woken for it.
func (c *checker) lawLooksAgain(out lifecycle.Output, law string, end time.Time) {
	if out.WakeAt.IsZero() || out.WakeAt.After(end) {
		c.violationf(law+": somebody looks when it is over", "at %s, not %s", out.WakeAt, end)
	}
}

func taskDeadline(spec *v1.FrameworkSpec, role string) *int64 {
	for i := range spec.TaskRoles {
		if spec.TaskRoles[i].Name == role {
			return spec.TaskRoles[i].Task.ActiveDeadlineSeconds
		}
	}
	return nil
}

// deadlineRepeats reports whether a Task or the Framework waits for a retry of an attempt that a deadline of a Task has ended, and will end
// again.
func (c *checker) deadlineRepeats(state *lifecycle.State) (found bool) {
	limited := slices.ContainsFunc(c.spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Task.ActiveDeadlineSeconds != nil })
	if f := state.Framework(); f.State == v1.AttemptCompleted && f.AttemptStatus.CompletionStatus.Phrase == "TaskDeadlineExceeded" {
		return limited
	}
	eachTask(state, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		found = found || t.State == v1.AttemptCompleted && t.AttemptStatus.CompletionStatus.Phrase == "TaskDeadlineExceeded" && taskDeadline(c.spec, ref.Role) != nil
	})
	return found
}

// noDeadlines is the edit that removes the deadlines of all Tasks.
func (c *checker) noDeadlines() (input string) {
	for i := range c.spec.TaskRoles {
		input += c.spec.TaskRoles[i].Name + " deadline=no\n"
	}
	return input
}
