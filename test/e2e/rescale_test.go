package e2e

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// rescaleInTwelveSteps takes rescalebasic through all that rescaling promises. Its Pods take some seconds to terminate,
// so there is time to rescale again meanwhile. The Framework must run all the time, which is for rescaling.at to see.
func rescaleInTwelveSteps(s *story) {
	r := rescaling{s}
	r.allRun(4) // 1
	r.lose(2)   // 2
	r.lose(3)
	r.scale(2)  // 3
	r.allRun(2) // 4: the two failures no longer count, or they would meet the new threshold

	r.scale(4) // 5
	old := r.allRun(4)
	r.lose(2)  // 6
	r.scale(2) // 7
	r.removing(2, 3)
	r.scale(3)
	r.replaced(old, 2).keeps(old, 3) // 8: Task 2 at once, while Task 3 still terminates
	r.allRun(3)

	r.scale(4) // 9
	old = r.allRun(4)
	r.lose(2)  // 10
	r.scale(2) // 11
	r.removing(2, 3)
	r.scale(5)
	r.replaced(old, 2).keeps(old, 3) // 12
	r.added(4).keeps(old, 3)
	r.replaced(old, 3)
	r.allRun(5)

	want := []string{"rescalebasic-a-2", "rescalebasic-a-2", "rescalebasic-a-2", "rescalebasic-a-3", "rescalebasic-a-3", "rescalebasic-a-3"}
	if got := s.snapshots("OnTaskDeletion"); !slices.Equal(got, want) {
		s.t.Errorf("the log has snapshots of %q, want %q", got, want)
	}
}

// rescaling is the story of rescalebasic.
type rescaling struct{ *story }

const rescaled = "rescalebasic"

// at returns the status once it is as wanted. The Framework never leaves AttemptRunning on the way there.
func (r rescaling) at(wanted string, is func(*v1.FrameworkStatus) bool) *v1.FrameworkStatus {
	r.t.Helper()
	f := r.await(rescaled, wanted, func(f *v1.FrameworkStatus) bool {
		if f.RunTime != nil && (f.State != v1.AttemptRunning || f.AttemptStatus.ID != 0) {
			r.t.Errorf("does not run any more:\n%s", describe(f))
		}
		return is(f)
	})
	return f.Status
}

func (r rescaling) scale(n int) {
	r.t.Helper()
	r.patch(rescaled, scaleTo(n))
}

// allRun waits until there are exactly n Tasks, and all of them run.
func (r rescaling) allRun(n int32) *v1.FrameworkStatus {
	r.t.Helper()
	return r.at(fmt.Sprintf("running with %d Tasks", n), func(f *v1.FrameworkStatus) bool {
		return f.Tasks.Running == n && countTasks(f) == n
	})
}

// lose deletes a Pod and waits until its Task has failed for good.
func (r rescaling) lose(index int) {
	r.t.Helper()
	r.deletePod(v1.PodName(rescaled, "a", int32(index)))
	r.at(fmt.Sprintf("without Task %d", index), func(f *v1.FrameworkStatus) bool {
		return describeTask(*task(f, "a", index)) == "Completed retried=0/0 code=-101 PodExternalDeleted"
	})
}

// removing waits until both Tasks are on their way out: the first has ended, the second terminates.
func (r rescaling) removing(first, second int) {
	r.t.Helper()
	r.at("scaling down", func(f *v1.FrameworkStatus) bool {
		a, b := task(f, "a", first), task(f, "a", second)
		return a != nil && b != nil && a.DeletionPending && b.DeletionPending && b.State != v1.Completed
	})
}

// replaced waits until another Task has taken the place of the old one.
func (r rescaling) replaced(old *v1.FrameworkStatus, index int) view {
	r.t.Helper()
	was := task(old, "a", index).InstanceUID
	return view{r, r.at(fmt.Sprintf("with Task %d replaced", index), func(f *v1.FrameworkStatus) bool {
		t := task(f, "a", index)
		return t != nil && t.InstanceUID != was && !t.DeletionPending
	})}
}

// added waits until a Task of that index exists.
func (r rescaling) added(index int) view {
	r.t.Helper()
	return view{r, r.at(fmt.Sprintf("with Task %d", index), func(f *v1.FrameworkStatus) bool { return task(f, "a", index) != nil })}
}

// view is the status at some time.
type view struct {
	rescaling
	status *v1.FrameworkStatus
}

// keeps requires that the old Task was still there, to be removed.
func (v view) keeps(old *v1.FrameworkStatus, index int) {
	v.t.Helper()
	t := task(v.status, "a", index)
	if t == nil || t.InstanceUID != task(old, "a", index).InstanceUID || !t.DeletionPending {
		v.t.Errorf("Task %d was not kept until its Pod had gone:\n%s", index, describe(v.status))
	}
}
