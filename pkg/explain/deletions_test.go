package explain

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// decidedTask is a Task whose attempt has ended with the code, and whose Pod is being deleted.
func decidedTask(code completion.Code) v1.TaskStatus {
	task := v1.TaskStatus{State: v1.AttemptDeletionPending, TransitionTime: metav1.NewTime(halfPastFour)}
	task.AttemptStatus.PodName, task.AttemptStatus.PodUID = "train-worker-0", new(types.UID("1"))
	task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(code, "")}
	return task
}

// The question "Why was this Pod deleted?" is answered from the stored state as soon as the deletion is decided.
func TestDeletionIsExplained(t *testing.T) {
	suspended := completion.Predefined(completion.CodeFrameworkSuspended, "")
	lost := completion.Predefined(completion.CodeConfigMapExternalDeleted, "")
	for name, test := range map[string]struct {
		code  completion.Code
		whole *v1.CompletionStatus
		edit  func(*v1.Framework, *v1.TaskStatus)
		want  string // empty if no deletion is mentioned
	}{
		"a retry": {code: 200, edit: func(f *v1.Framework, _ *v1.TaskStatus) { f.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = 1 },
			want: "The controller is deleting Pod train-worker-0: cause TaskRetry, code 200, retry row R6."},
		"no retry": {code: 200, want: "The controller is deleting Pod train-worker-0: cause TaskEnded, code 200, retry row R7."},
		"completed, and maxRetryCount was raised since": {code: 200, edit: func(f *v1.Framework, task *v1.TaskStatus) {
			f.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount, task.State = 1, v1.Completed
			task.AttemptStatus.CompletionTime = &task.TransitionTime
		}, want: "The controller deleted Pod train-worker-0: cause TaskEnded, code 200."},
		"a scale-down": {code: completion.CodeDeleteTaskRequested, edit: func(_ *v1.Framework, task *v1.TaskStatus) { task.DeletionPending = true },
			want: "The controller is deleting Pod train-worker-0: cause ScaleDown, code -230, retry row R0."},
		"a deadline": {code: completion.CodePodImagePullFailed, want: "cause StartDeadline, code -131, retry row R7."},
		"a suspension": {code: completion.CodeFrameworkAttemptCompletion, whole: &suspended,
			want: "Pod train-worker-0 is being deleted with the attempt of the Framework: cause Suspension, code -250, retry row R0a. The Framework was suspended: spec.suspend was true."},
		"others deleted the Pod":       {code: completion.CodePodExternalDeleted},
		"others deleted the ConfigMap": {code: completion.CodeFrameworkAttemptCompletion, whole: &lost},
		"no Pod":                       {code: 200, edit: func(_ *v1.Framework, task *v1.TaskStatus) { task.AttemptStatus.PodUID = nil }},
		"it runs":                      {code: 200, edit: func(_ *v1.Framework, task *v1.TaskStatus) { task.AttemptStatus.CompletionStatus = nil }},
	} {
		f := frameworkOf(decidedTask(test.code))
		f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1}}
		if test.whole != nil {
			f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: *test.whole}
		}
		if test.edit != nil {
			test.edit(f, &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0])
		}
		said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n")
		if told := strings.Contains(said, ": cause "); told != (test.want != "") || !strings.Contains(said, test.want) {
			t.Errorf("%s: it says\n%s\nand should say %q", name, said, test.want)
		}
	}
}

// Deletions of the Task's Pods are explained from the annotations of events, whatever the messages say.
func TestEarlierDeletionsAreExplained(t *testing.T) {
	deleted := func(minutes int, why reason.Deletion, tasks ...string) corev1.Event {
		d := reason.Deleted{Kind: reason.Pod, Why: why, Tasks: tasks, Attempt: -1}
		return corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Annotations: d.EventFacts().Annotations()},
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: "PodDeleted", Message: "whatever",
			LastTimestamp: metav1.NewTime(halfPastFour.Add(-time.Duration(minutes) * time.Minute)),
		}
	}
	forced := reason.Deletion{Cause: reason.ForcedAfterTimeout, Ended: true, Code: -101}
	task := v1.TaskStatus{State: v1.AttemptRunning}
	f := frameworkOf(task)
	said := func(events ...corev1.Event) string {
		return strings.Join(Task(Facts{Framework: f, Events: events, Now: halfPastFour}, "worker", 0).Lines(), "\n")
	}
	const want = "The controller deleted a Pod of this Task 3m ago: cause ForcedAfterTimeout, code -101. The Pod was still terminating"
	if got := said(deleted(3, forced, "worker-0", "worker-1")); !strings.Contains(got, want) {
		t.Errorf("it says\n%s", got)
	}
	unknown := deleted(3, forced, "worker-0")
	unknown.Annotations[reason.KeyCause] = "Whim" // of a later version
	if got := said(deleted(3, forced, "worker-10"), unknown, deleted(4, reason.Deletion{}, "worker-0")); strings.Contains(got, "The controller deleted") {
		t.Errorf("it says\n%s", got)
	}
	var many []corev1.Event
	for i := range 50 {
		many = append(many, deleted(3+i, forced, "worker-0"))
	}
	if n := strings.Count(said(many...), "The controller deleted"); n != mostEarlier {
		t.Errorf("%d deletions are told", n)
	}
}

// Events about deleted Pods of the whole Framework become one statement, by cause.
func TestDeletionsOfTheFrameworkAreExplained(t *testing.T) {
	var events []corev1.Event
	for i, d := range []reason.Deleted{
		{Why: reason.Deletion{Cause: reason.ScaleDown}, Tasks: []string{"worker-5"}},
		{Why: reason.Deletion{Cause: reason.RestartWithPeers, Ended: true, Code: -240}, Tasks: []string{"worker-1", "worker-2"}},
		{Why: reason.Deletion{Cause: reason.RestartWithPeers}, Tasks: []string{"worker-2", "worker-3", "worker-4"}},
		{Why: reason.Deletion{Cause: reason.Orphan}},
	} {
		d.Kind, d.Attempt = reason.Pod, -1
		events = append(events, corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Annotations: d.EventFacts().Annotations()},
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: "PodDeleted", Message: "whatever",
			LastTimestamp: metav1.NewTime(halfPastFour.Add(time.Duration(i-10) * time.Minute)),
		})
	}
	a := Framework(Facts{Framework: frameworkOf(v1.TaskStatus{State: v1.AttemptRunning}), Events: events, Now: halfPastFour})
	const want = "The controller deleted Pods: cause Orphan (7m ago), cause RestartWithPeers (worker-1, worker-2, worker-3 and 1 more, 8m ago), cause ScaleDown (worker-5, 10m ago)."
	if said := strings.Join(a.Lines(), "\n"); strings.Count(said, want) != 1 {
		t.Errorf("it says\n%s\nand not\n%s", said, want)
	}
}

// The annotations have the prefix of the API, which pkg/reason does not import.
func TestAnnotationsAreOfTheAPI(t *testing.T) {
	for _, key := range []string{reason.KeyTask, reason.KeyAttempt, reason.KeyCode, reason.KeyRow, reason.KeyCause} {
		if !strings.HasPrefix(key, v1.GroupName+"/") {
			t.Errorf("%s is of another group", key)
		}
	}
}
