package deadline

import (
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Framework with an activeDeadlineSeconds may run for that long, over all its attempts. An attempt runs while its state is
// AttemptRunning. The time of earlier attempts is stored in seconds, and the current one counts from its start, so another
// controller continues with the same numbers.

// Active returns the running time of a Framework: stored, which is nil if nothing is stored, plus the time of the current
// attempt, which has been running since the given time, or does not run if that is nil. A start in the future, after a clock was
// put back, would never be reached, so it is replaced by now, which has whole seconds. If nothing changes, stored itself is
// returned.
func Active(stored *v1.ActiveTimeStatus, running *metav1.Time, now time.Time) *v1.ActiveTimeStatus {
	next := v1.ActiveTimeStatus{}
	if stored != nil {
		next = *stored
	}
	switch {
	case running == nil && next.Since != nil:
		next.Seconds += max(int64(now.Sub(next.Since.Time)/time.Second), 0)
		next.Since = nil
	case running != nil && next.Since == nil:
		next.Since = running
	}
	if next.Since != nil && next.Since.After(now) {
		next.Since = &metav1.Time{Time: now}
	}
	if stored != nil && *stored == next {
		return stored
	}
	return &next
}

// Limited reports whether an activeDeadlineSeconds limits anything. The CRD does not admit less than 1.
func Limited(activeDeadlineSeconds *int64) bool {
	return activeDeadlineSeconds != nil && *activeDeadlineSeconds > 0
}

// ActiveEnd returns when a Framework will have used up its running time; over reports that it already has. If the Framework does
// not run, end is zero: it depends on when it runs again. a is nil if no running time is stored.
func ActiveEnd(a *v1.ActiveTimeStatus, limitSec int64, now time.Time) (end time.Time, over bool) {
	if a == nil {
		return time.Time{}, false
	}
	left := seconds(max(limitSec-max(a.Seconds, 0), 0))
	if a.Since == nil {
		return time.Time{}, left == 0
	}
	end = a.Since.Add(left)
	return end, !now.Before(end)
}

// seconds converts to a duration. A number that the CRD refuses is capped, as good as for ever, so that it does not overflow.
func seconds(n int64) time.Duration { return time.Duration(min(n, math.MaxInt32)) * time.Second }

// TaskEnd returns when the attempt of a Task will have used up its running time; ok is false if it does not run, or has no limit.
// The role is nil if the spec lacks it.
func TaskEnd(role *v1.TaskRoleSpec, t *v1.TaskStatus) (end time.Time, ok bool) {
	if role == nil || !Limited(role.Task.ActiveDeadlineSeconds) || t.State != v1.AttemptRunning || t.AttemptStatus.RunTime == nil {
		return time.Time{}, false
	}
	return t.AttemptStatus.RunTime.Add(seconds(*role.Task.ActiveDeadlineSeconds)), true
}
