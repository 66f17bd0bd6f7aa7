package lifecycle

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
)

// Package deadline computes when a Framework, or an attempt of a Task, has used up its time. This file stores the running time,
// and ends an attempt or Framework that is out of time.

// countActiveTime keeps the running time of a Framework that has, or once had, a limit for it.
func (r *round) countActiveTime() {
	if r.in.Framework.Spec.ActiveDeadlineSeconds == nil && r.status.ActiveTime == nil {
		return
	}
	var running *metav1.Time
	if r.status.State == v1.AttemptRunning {
		running = r.status.AttemptStatus.RunTime
	}
	r.status.ActiveTime = deadline.Active(r.status.ActiveTime, running, r.now.Time)
	r.outOfTime() // schedules a wake-up
}

// outOfTime reports whether the Framework has run for as long as it may. If not, it has the Framework looked at in time.
func (r *round) outOfTime() bool {
	limit := r.in.Framework.Spec.ActiveDeadlineSeconds
	if !deadline.Limited(limit) {
		return false
	}
	end, over := deadline.ActiveEnd(r.status.ActiveTime, *limit, r.now.Time)
	if !over && !end.IsZero() {
		r.wakeAt(end)
	}
	return over
}

// deadlineExceeded is how an attempt ends when the Framework is out of time.
func (r *round) deadlineExceeded() v1.FrameworkAttemptCompletionStatus {
	return predefined(completion.CodeDeadlineExceeded,
		fmt.Sprintf("activeDeadlineSeconds of %d s is over", *r.in.Framework.Spec.ActiveDeadlineSeconds))
}

// runsTooLong decides the attempt of a Task that has run for as long as it may, and reports whether it has. If not, it has the
// Task looked at in time.
func (t task) runsTooLong() bool {
	end, limited := deadline.TaskEnd(t.role.spec, t.status())
	if !limited || !t.undecided() || t.r.completing() {
		return false
	}
	if t.r.now.Time.Before(end) {
		t.r.wakeAt(end)
		return false
	}
	t.decideCode(completion.CodeTaskDeadlineExceeded,
		fmt.Sprintf("task.activeDeadlineSeconds of %d s is over", *t.role.spec.Task.ActiveDeadlineSeconds))
	return true
}
