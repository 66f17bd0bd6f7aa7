package explain

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// TestRetriesAreExplained compares the answers about the retry of a Task whose attempt has ended.
func TestRetriesAreExplained(t *testing.T) {
	now := halfPastFour
	failed := v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	tests := map[string]struct {
		policy   v1.RetryPolicySpec
		counters v1.RetryPolicyStatus
		ended    v1.TaskAttemptCompletionStatus
		restart  *v1.TaskRestart
		want     string
		// ofRole is the policy for restarts of the role, which has restarted once.
		ofRole *v1.RoleRetryPolicySpec
		final  bool
	}{
		"a budget": {
			v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{{Code: new(int32(9)), MaxRetryCount: 3}}},
			v1.RetryPolicyStatus{Budgets: []v1.RetryBudgetStatus{{Cause: "code=9", RetriedCount: 1}}},
			v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"The Task is retried: 1 of 3 retries of the budget for code=9 is used.",
			nil, false,
		},
		"a budget without limit": {
			v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{{Phrase: "Nine", MaxRetryCount: -1}}}, v1.RetryPolicyStatus{},
			v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"the budget for phrase=Nine has no limit, and 0 of its retries are used.",
			nil, false,
		},
		"a budget that is used up": {
			v1.RetryPolicySpec{MaxRetryCount: -1, Budgets: []v1.RetryBudgetSpec{{Code: new(int32(9)), MaxRetryCount: 0}}}, v1.RetryPolicyStatus{},
			v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"The Task is not retried: 0 of 0 retries of the budget for code=9 are used.",
			nil, false,
		},
		"a window": {
			v1.RetryPolicySpec{MaxRetryCount: -1, Window: &v1.RetryWindowSpec{Failures: 1, WithinSec: 60}},
			v1.RetryPolicyStatus{RecentFailures: []metav1.Time{metav1.NewTime(now)}},
			v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"1 failure was retried within 60 s",
			nil, false,
		},
		"given up": {
			v1.RetryPolicySpec{MaxRetryCount: -1}, v1.RetryPolicyStatus{},
			v1.TaskAttemptCompletionStatus{CompletionStatus: failed, Advice: &v1.RetryAdvice{GiveUpAttempt: true}}, nil,
			"gave up the whole attempt of the Framework",
			nil, false,
		},
		"by the role": {
			v1.RetryPolicySpec{MaxRetryCount: 1}, v1.RetryPolicyStatus{TotalRetriedCount: 1, AccountableRetriedCount: 1},
			v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"The Task is not retried: its only retry is used.\n" +
				"Role worker restarts as a whole: 1 of 3 retries is used.",
			&v1.RoleRetryPolicySpec{MaxRetryCount: 3}, false,
		},
		"by a role without limit": {
			v1.RetryPolicySpec{}, v1.RetryPolicyStatus{}, v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"restarts as a whole: its maxRetryCount is -1, and 1 retry is used.",
			&v1.RoleRetryPolicySpec{MaxRetryCount: -1}, false,
		},
		"nor by the role": {
			v1.RetryPolicySpec{}, v1.RetryPolicyStatus{}, v1.TaskAttemptCompletionStatus{CompletionStatus: failed}, nil,
			"maxRetryCount is 0.\nRole worker does not restart either: its only retry is used.",
			&v1.RoleRetryPolicySpec{MaxRetryCount: 1}, true,
		},
		"with others": {
			v1.RetryPolicySpec{}, v1.RetryPolicyStatus{},
			v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(completion.CodeRestartedWithPeers, "")},
			&v1.TaskRestart{Scope: v1.RestartRole, TaskRoleName: "worker", TaskIndex: 3},
			"All Tasks of role worker that have not completed restart together because Task worker-3 failed: none begins before all have ended.",
			nil, false,
		},
	}
	for name, test := range tests {
		task := v1.TaskStatus{State: v1.AttemptCompleted, TransitionTime: metav1.NewTime(now), RetryPolicyStatus: test.counters}
		task.AttemptStatus.CompletionStatus, task.AttemptStatus.Restart = &test.ended, test.restart
		if test.final {
			task.State = v1.Completed
		}
		f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
		f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1, Task: v1.TaskSpec{RetryPolicy: test.policy}}}
		f.Spec.TaskRoles[0].RetryPolicy = test.ofRole
		f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", RetriedCount: 1, TaskStatuses: []v1.TaskStatus{task}}}
		said := strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
		if !strings.Contains(said, test.want) {
			t.Errorf("%s: it says\n%s\nand not %q", name, said, test.want)
		}
	}
}

// A scheduled retry takes place, whatever the policy is now.
func TestScheduledRetryIsExplained(t *testing.T) {
	now := halfPastFour
	task := failedTask(v1.AttemptCompleted, now)
	task.RetryPolicyStatus.RetryDelaySec = new(int64(600))
	f := frameworkOf(task)
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1}} // maxRetryCount is 0 by now
	said := strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	want := "The Task is retried: this was decided before the retry policy was changed, and the retry counts.\n" +
		"The next attempt begins at 2026-11-20T16:40:00Z (in 10m)."
	if !strings.Contains(said, want) || strings.Contains(said, "is not retried") {
		t.Errorf("it says\n%s\nand not %q", said, want)
	}

	f.DeletionTimestamp = &metav1.Time{Time: now}
	said = strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	if strings.Contains(said, "another one follows") || !strings.Contains(said, "because the Framework is being deleted") {
		t.Errorf("of a Framework that is being deleted it says\n%s", said)
	}
}

// A retry with a delay does not begin as soon as the Pod is gone.
func TestDelayAfterAnEndIsExplained(t *testing.T) {
	f := frameworkOf(failedTask(v1.AttemptDeleting, halfPastFour))
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1, Task: v1.TaskSpec{RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: -1}}}}
	for delay, want := range map[int32]string{
		0: "will be retried as soon as its Pod is gone: maxRetryCount is -1", 60: "as soon as its Pod is gone and a delay is over: maxRetryCount is -1",
	} {
		f.Spec.TaskRoles[0].Task.RetryPolicy.Backoff = &v1.RetryBackoffSpec{InitialDelaySec: delay}
		said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n")
		if !strings.Contains(said, want) {
			t.Errorf("with a delay of %d s it says\n%s\nand not %q", delay, said, want)
		}
	}
}

// After the second consecutive Pod that never ran, the next one follows after a pause, although the policy has none.
func TestPauseAfterPodsThatNeverRanIsExplained(t *testing.T) {
	task := failedTask(v1.AttemptDeleting, halfPastFour)
	task.AttemptStatus.CompletionStatus.Pod = &v1.PodCompletionStatus{}
	f := frameworkOf(task)
	f.Spec.RetryPolicy.MaxRetryCount = -1
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1, Task: v1.TaskSpec{RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: -1}}}}
	atOnce, paused := "will be retried as soon as its Pod is gone: ", "as soon as its Pod is gone and a delay is over: "
	own := &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	if said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n"); !strings.Contains(said, atOnce) {
		t.Errorf("of the first one it says\n%s\nand not %q", said, atOnce)
	}
	own.EarlierAttempts = []v1.EarlierTaskAttempt{{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}}
	if said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n"); !strings.Contains(said, paused) {
		t.Errorf("of the second one it says\n%s\nand not %q", said, paused)
	}

	own.State, f.Status.State = v1.Completed, v1.AttemptDeleting
	f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{
		CompletionStatus: own.AttemptStatus.CompletionStatus.CompletionStatus, Trigger: &v1.CompletionTrigger{TaskRoleName: "worker"}}
	f.Status.RetryPolicyStatus.TotalRetriedCount = 1
	if said, want := strings.Join(Framework(Facts{Framework: f, Now: halfPastFour}).Lines(), "\n"), "as soon as its Pods are gone and a delay is over: "; !strings.Contains(said, want) {
		t.Errorf("of the Framework it says\n%s\nand not %q", said, want)
	}
}

// A restart that others take part in continues, and the role pays if that was settled, whatever the policies are now.
func TestSettledRestartIsExplained(t *testing.T) {
	for byRole, want := range map[bool]string{
		false: "The Task is retried: this was decided before the retry policy was changed, and the retry counts.",
		true:  "Role worker restarts as a whole: this was decided before its retry policy was changed.",
	} {
		task := failedTask(v1.AttemptCompleted, halfPastFour)
		task.AttemptStatus.Restart = &v1.TaskRestart{Scope: v1.RestartRole, TaskRoleName: "worker", ByRole: byRole}
		f := frameworkOf(task)
		f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1}}
		said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n")
		if !strings.Contains(said, want) || strings.Contains(said, "is not retried") {
			t.Errorf("by the role %v: it says\n%s\nand not %q", byRole, said, want)
		}
	}
}

// Tasks that restart together begin when the last of them may.
func TestRestartBeginsWithTheLast(t *testing.T) {
	now := halfPastFour
	own, other := failedTask(v1.AttemptCompleted, now), failedTask(v1.AttemptCompleted, now)
	other.Index = 1
	own.RetryPolicyStatus.RetryDelaySec, other.RetryPolicyStatus.RetryDelaySec = new(int64(60)), new(int64(600))
	restart := &v1.TaskRestart{Scope: v1.RestartRole, TaskRoleName: "worker"}
	own.AttemptStatus.Restart, other.AttemptStatus.Restart = restart, restart
	f := frameworkOf(own, other)
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 2, Task: v1.TaskSpec{RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: -1, Restart: v1.RestartRole}}}}
	said := strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	if want := "The next attempt begins at 2026-11-20T16:40:00Z (in 10m)."; !strings.Contains(said, want) {
		t.Errorf("it says\n%s\nand not %q", said, want)
	}
	f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1].State = v1.AttemptDeleting
	said = strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	if strings.Contains(said, "The next attempt begins at") {
		t.Errorf("while another has not ended it says\n%s", said)
	}
}

// The threshold that ended an attempt may have changed since, and an older controller has not recorded that a threshold ended it.
func TestThresholdThatEndedAnAttempt(t *testing.T) {
	const message, met = "FailedTaskCount 1 has reached MinFailedTaskCount 1 in the TaskRole", "which fails when 1 Task of role worker has failed for good (minFailedTaskCount 1)"
	f := frameworkOf(failedTask(v1.Completed, halfPastFour))
	f.Status.State = v1.AttemptDeleting
	for name, test := range map[string]struct {
		least  int32
		rule   string
		source *v1.CompletionSource
		want   string
	}{
		"as it is":            {1, "minFailedTaskCount", nil, met},
		"changed":             {0, "minFailedTaskCount", nil, "Task worker-0 ended the attempt: " + message + "."},
		"noted by a plugin":   {1, "", &v1.CompletionSource{Plugin: "numbers", Rule: "minFailedTaskCount"}, met},
		"another rule":        {1, "", &v1.CompletionSource{Plugin: "numbers", Rule: "leader"}, "Task worker-0 ended the attempt: " + message + "."},
		"an older controller": {1, "", nil, "Task worker-0 ended the attempt: " + message + "."},
	} {
		end := f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus.CompletionStatus
		end.Source = test.source
		f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{
			CompletionStatus: end, Trigger: &v1.CompletionTrigger{TaskRoleName: "worker", Message: message, Rule: test.rule},
		}
		f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1, FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: test.least}}}
		said := strings.Join(Framework(Facts{Framework: f, Now: halfPastFour}).Lines(), "\n")
		if !strings.Contains(said, test.want) {
			t.Errorf("%s: it says\n%s\nand not %q", name, said, test.want)
		}
	}
}

func failedTask(state v1.State, at time.Time) v1.TaskStatus {
	task := v1.TaskStatus{State: state, TransitionTime: metav1.NewTime(at)}
	task.AttemptStatus.CompletionTime = &metav1.Time{Time: at}
	task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{
		CompletionStatus: v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}}
	return task
}

func frameworkOf(tasks ...v1.TaskStatus) *v1.Framework {
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
	f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: tasks}}
	return f
}

// Events expire after an hour; the status still has the outcomes of the last attempts.
func TestEarlierAttemptsWithoutEvents(t *testing.T) {
	now := halfPastFour
	task := v1.TaskStatus{State: v1.AttemptRunning, AttemptStatus: v1.TaskAttemptStatus{ID: 1}, EarlierAttempts: []v1.EarlierTaskAttempt{
		{Code: 137, Phrase: "OutOfMemory", Node: "node-3", CompletionTime: metav1.NewTime(now.Add(-2 * time.Hour))},
	}}
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
	f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{task}}}
	said := strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	if want := "Earlier: attempt 0 ended 120m ago with code 137, OutOfMemory, on node node-3."; !strings.Contains(said, want) {
		t.Errorf("it says\n%s\nand not %q", said, want)
	}
}

// A Task whose role has restarted was retried, whatever its own policy says; the answer also names the role's fields that can be
// raised.
func TestRetriesOfRoleAreExplained(t *testing.T) {
	now := halfPastFour
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1, RetryPolicy: &v1.RoleRetryPolicySpec{MaxRetryCount: 1}}}
	task := v1.TaskStatus{State: v1.AttemptRunning, RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: 1}}
	f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", RetriedCount: 1, TaskStatuses: []v1.TaskStatus{task}}}
	retried := corev1.Event{
		InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: string(reason.TaskRetried),
		ObjectMeta:    metav1.ObjectMeta{Annotations: reason.Facts{Tasks: []string{"worker-0"}, Row: "RR"}.OfAttempt(0).Ended(-101, "PodExternalDeleted").Annotations()},
		LastTimestamp: metav1.NewTime(now),
	}
	said := strings.Join(Framework(Facts{Framework: f, Events: []corev1.Event{retried}, Now: now}).Lines(), "\n")
	if !strings.Contains(said, "Role worker was restarted as a whole: its only retry is used.") ||
		strings.Contains(said, "is not retried") {
		t.Errorf("it says\n%s", said)
	}

	own := &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	own.State = v1.Completed
	own.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{
		Code: 1, Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}}}
	said = strings.Join(Task(Facts{Framework: f, Now: now}, "worker", 0).Lines(), "\n")
	if want := "raise maxRetryCount, which is 0 for Tasks of role worker and 1 for role worker as a whole."; !strings.Contains(said, want) {
		t.Errorf("it says\n%s\nand not %q", said, want)
	}
}

// The row in the event explains why a Task was retried, whatever the current policy and counters allow. An event without a row gives
// no reason, and Tasks in trouble are explained elsewhere.
func TestLastRetryGoesByItsRow(t *testing.T) {
	running := v1.TaskStatus{State: v1.AttemptRunning, RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: 1, AccountableRetriedCount: 1}}
	waits := failedTask(v1.AttemptCompleted, halfPastFour)
	waits.Index, waits.RetryPolicyStatus = 1, running.RetryPolicyStatus
	f := frameworkOf(running, waits)
	f.Status.AttemptStatus.TaskRoleStatuses[0].RetriedCount = 1
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 2, RetryPolicy: &v1.RoleRetryPolicySpec{MaxRetryCount: 1}}}
	f.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = 1
	event := func(task, row string, at time.Time) corev1.Event {
		return corev1.Event{
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: string(reason.TaskRetried),
			ObjectMeta:    metav1.ObjectMeta{Annotations: reason.Facts{Tasks: []string{task}, Row: row}.OfAttempt(0).Ended(9, "Nine").Annotations()},
			LastTimestamp: metav1.NewTime(at),
		}
	}
	for row, want := range map[string]string{
		"R6":  "\nTask worker-0 was retried because it had a retry left. Now its only retry is used.",
		"R5":  "\nTask worker-0 was retried because maxRetryCount -1 allows it after every failure.",
		"R2":  "\nTask worker-0 was retried because fancyRetryPolicy always retries transient failures. The retry did not count.",
		"RB2": "\nTask worker-0 was retried because a budget of its retry policy had a retry left.",
		"RR":  "\nRole worker was restarted as a whole: its only retry is used.",
		"R0b": "\nThat retry did not count, whatever retryPolicy says.",
		"":    "",
		"odd": "",
	} {
		events := []corev1.Event{event("worker-0", row, halfPastFour.Add(-time.Minute)), event("worker-1", "R6", halfPastFour)}
		said := strings.Join(Framework(Facts{Framework: f, Events: events, Now: halfPastFour}).Lines(), "\n")
		if !strings.Contains(said, "Last retry: attempt 1 of Task worker-0 began 60s ago, after attempt 0 failed with code 9 (Nine). ") || !strings.Contains(said, want) ||
			want == "" && (strings.Contains(said, "was re") || strings.Contains(said, "That retry")) {
			t.Errorf("with row %q, it says\n%s\nand not %q", row, said, want)
		}
	}
}
