package explain

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// From nine tenths of the time on, an answer states when a Framework is stopped, and when a Task's attempt ends.
func TestDeadlineIsExplained(t *testing.T) {
	began := metav1.NewTime(halfPastFour)
	f := frameworkOf(v1.TaskStatus{State: v1.AttemptRunning, AttemptStatus: v1.TaskAttemptStatus{RunTime: &began}})
	f.Spec.ActiveDeadlineSeconds = new(int64(1100))
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1, Task: v1.TaskSpec{ActiveDeadlineSeconds: new(int64(2000))}}}
	f.Status.ActiveTime = &v1.ActiveTimeStatus{Seconds: 100, Since: &began}
	whole := func(now time.Time) string {
		return strings.Join(Framework(Facts{Framework: f, Now: now}).Lines(), "\n")
	}
	task := func(now time.Time) string {
		return strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	}

	const said, saidOfTask = "spec.activeDeadlineSeconds is over", "task.activeDeadlineSeconds of its role is over"
	if text := whole(halfPastFour.Add(889 * time.Second)); strings.Contains(text, said) {
		t.Errorf("before nine tenths, it says\n%s", text)
	}
	if text := task(halfPastFour.Add(1799 * time.Second)); strings.Contains(text, saidOfTask) {
		t.Errorf("before nine tenths of the Task's time, it says\n%s", text)
	}
	want := "If it still runs at " + stamp(halfPastFour.Add(1000*time.Second)).Text + " (in 110s), spec.activeDeadlineSeconds is over: it is stopped, and ends with code -140, without a retry."
	if text := whole(halfPastFour.Add(890 * time.Second)); !strings.Contains(text, want) {
		t.Errorf("it says\n%s\nand not %q", text, want)
	}
	want = "If it still runs at " + stamp(halfPastFour.Add(2000*time.Second)).Text + " (in 3m20s), task.activeDeadlineSeconds of its role is over: its attempt ends with code -141, and retryPolicy decides about another."
	if text := task(halfPastFour.Add(1800 * time.Second)); !strings.Contains(text, want) {
		t.Errorf("it says\n%s\nand not %q", text, want)
	}

	f.Status.State, f.Status.ActiveTime.Since = v1.AttemptCreationPending, nil
	if text := whole(halfPastFour.Add(2 * time.Hour)); strings.Contains(text, said) {
		t.Errorf("while nothing runs, it says\n%s", text)
	}
}
