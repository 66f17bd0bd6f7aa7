package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

var halfPastFour = time.Date(2026, 11, 20, 16, 30, 0, 0, time.UTC)

// ended is a Framework of one Task whose attempt has ended like the Task.
func ended(s v1.CompletionStatus, by *v1.CompletionTrigger) *v1.Framework {
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.Completed}}
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 1}}
	a := &f.Status.AttemptStatus
	a.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{{State: v1.Completed}}}}
	a.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: s}
	a.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: s, Trigger: by}
	return f
}

// A remedy is quoted, with its source, in place of advice that fits any failure.
func TestRemedyIsQuoted(t *testing.T) {
	for name, test := range map[string]struct {
		by   *v1.CompletionSource
		want string
	}{
		"a rule":   {nil, "Advice on this failure: Use fewer workers."},
		"a plugin": {&v1.CompletionSource{Plugin: "oracle", Rule: "r"}, "Advice on this failure from plugin oracle: Use fewer workers."},
	} {
		failed := v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}, Source: test.by, Remedy: "Use fewer workers"}
		of := &v1.CompletionTrigger{TaskRoleName: "worker"}
		whole, lost := ended(failed, of), ended(failed, of)
		lost.Status.AttemptStatus.TaskRoleStatuses = nil
		task := Task(Facts{Framework: whole, Now: halfPastFour}, "worker", 0)
		for _, answer := range []Answer{Framework(Facts{Framework: whole, Now: halfPastFour}), Framework(Facts{Framework: lost, Now: halfPastFour}), task} {
			if said := strings.Join(answer.Lines(), "\n"); strings.Count(said, test.want) != 1 || strings.Contains(said, "What to change") {
				t.Errorf("%s: it says\n%s", name, said)
			}
		}
	}
}

// If the status lists the remaining retries, they are explained at length, and only once.
func TestRetriesLeftAreToldOnce(t *testing.T) {
	none := int32(0)
	left := []v1.RetryVerdict{{Of: v1.RetryOfTask, Name: "worker-0", Row: "R7", MaxRetryCount: &none}, {Of: v1.RetryOfFramework, Row: "R7", MaxRetryCount: &none}}
	failed := v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	unplaced := completion.Predefined(completion.CodePodUnschedulable, "no nodes in time")
	for name, test := range map[string]struct {
		f    *v1.Framework
		want string
	}{
		"a plugin's own rule":    {ended(failed, &v1.CompletionTrigger{TaskRoleName: "worker", Message: "the chief has ended"}), "Task worker-0 ended the attempt: the chief has ended.\n"},
		"a rule without words":   {ended(failed, &v1.CompletionTrigger{TaskRoleName: "worker"}), "Task worker-0 ended the attempt.\n"},
		"an attempt without one": {ended(unplaced, nil), "In detail: no nodes in time.\n"},
	} {
		test.f.Status.AttemptStatus.CompletionStatus.Retries = left
		said := strings.Join(Framework(Facts{Framework: test.f, Now: halfPastFour}).Lines(), "\n")
		if !strings.Contains(said, test.want) || strings.Contains(said, "no retry is left") ||
			strings.Count(said, "The Framework is not retried: maxRetryCount is 0.") != 1 {
			t.Errorf("%s: it says\n%s", name, said)
		}
	}

	// If the Task has ended in another way, nothing else explains why it is not retried. An older controller has put it into the message.
	const steps = "Task worker-0: no retry is left by maxRetryCount 0; Framework: no retry is left by maxRetryCount 0"
	f := ended(failed, &v1.CompletionTrigger{TaskRoleName: "worker", Message: "the chief has ended"})
	f.Status.AttemptStatus.CompletionStatus.Code, f.Status.AttemptStatus.CompletionStatus.Retries = 10, left
	old := ended(failed, &v1.CompletionTrigger{TaskRoleName: "worker", Message: "the chief has ended. " + steps})
	for _, f := range []*v1.Framework{f, old} {
		if said := strings.Join(Framework(Facts{Framework: f, Now: halfPastFour}).Lines(), "\n"); !strings.Contains(said, "the chief has ended. "+steps+".") {
			t.Errorf("it says\n%s", said)
		}
	}
}

// Attempts of a Task in another attempt of the Framework have the same numbers, and are not mentioned.
func TestEarlierAttemptsAreOfTheCurrentAttempt(t *testing.T) {
	f := ended(v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}, nil)
	f.Status.AttemptStatus.StartTime = metav1.NewTime(halfPastFour.Add(-time.Minute))
	retried := func(at time.Time) corev1.Event {
		return corev1.Event{
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: string(reason.TaskRetried),
			ObjectMeta: metav1.ObjectMeta{Annotations: reason.Facts{Tasks: []string{"worker-0"}}.OfAttempt(0).Ended(9, "Nine").Annotations()},
			Message:    "Task worker-0: attempt 1 begins, after Nine, code 9", LastTimestamp: metav1.NewTime(at),
		}
	}
	events := []corev1.Event{retried(halfPastFour.Add(-2 * time.Minute)), retried(halfPastFour.Add(-30 * time.Second))}
	said := strings.Join(Task(Facts{Framework: f, Events: events, Now: halfPastFour}, "worker", 0).Lines(), "\n")
	if strings.Count(said, "Earlier: ") != 1 || !strings.Contains(said, "Earlier: attempt 1 began 30s ago, after attempt 0 failed with code 9 (Nine).") {
		t.Errorf("it says\n%s", said)
	}
}

// Events of an older controller have no facts: they are quoted verbatim, and never parsed.
func TestEventsWithoutFacts(t *testing.T) {
	f := frameworkOf(v1.TaskStatus{State: v1.AttemptRunning, RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: 1}})
	f.Status.RetryPolicyStatus.TotalRetriedCount = 1
	event := func(why reason.Event, message string) corev1.Event {
		return corev1.Event{
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: string(why),
			Message: message, LastTimestamp: metav1.NewTime(halfPastFour.Add(-time.Minute)),
		}
	}
	facts := Facts{Framework: f, Now: halfPastFour, Events: []corev1.Event{
		event(reason.Retried, "attempt 1 begins, after Nine, code 9"),
		event(reason.TaskRetried, "Task worker-0: attempt 1 begins, after PodExternalDeleted, code -101 on node-0"),
	}}
	said := strings.Join(Framework(facts).Lines(), "\n")
	for _, want := range []string{
		"Earlier, 60s ago: attempt 1 begins, after Nine, code 9.",
		"Last retry, 60s ago: Task worker-0: attempt 1 begins, after PodExternalDeleted, code -101 on node-0.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it says\n%s\nand not %q", said, want)
		}
	}
	if said := strings.Join(Task(facts, "worker", 0).Lines(), "\n"); strings.Contains(said, "Earlier") {
		t.Errorf("of the Task it says\n%s", said)
	}
}

// A warning advises an edit of the spec only while the Framework can still run.
func TestNoEditAfterTheEnd(t *testing.T) {
	f := ended(v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}, nil)
	facts := Facts{Framework: f, Now: halfPastFour, Events: []corev1.Event{{
		InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: "train"}, Reason: string(reason.FieldWithoutEffect),
		Message: "raise maxMemory", LastTimestamp: metav1.NewTime(halfPastFour.Add(-time.Minute)),
	}}}
	for state, want := range map[v1.State]bool{v1.Completed: false, v1.AttemptRunning: true} {
		f.Status.State = state
		answer := Framework(facts)
		if !strings.Contains(strings.Join(answer.Lines(), "\n"), "raise maxMemory") {
			t.Errorf("%s: the warning is missing in %q", state, answer.Lines())
		}
		if got := slices.ContainsFunc(answer.Next, func(s Step) bool { return strings.HasPrefix(s.Command, "kubectl edit") }); got != want {
			t.Errorf("%s: next is %q", state, answer.Next)
		}
	}
}

// If there are two limits, the advice names the reached one.
func TestAdviceNamesTheLimitThatWasReached(t *testing.T) {
	f := ended(v1.CompletionStatus{Code: 9, Phrase: "Nine", Type: v1.CompletionType{Name: v1.CompletionFailed}}, nil)
	role := &f.Spec.TaskRoles[0]
	role.RetryPolicy = &v1.RoleRetryPolicySpec{MaxRetryCount: 1}
	role.Task.RetryPolicy = v1.RetryPolicySpec{MaxRetryCount: 3, Window: &v1.RetryWindowSpec{Failures: 2, WithinSec: 600}}
	task := &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	for counted, want := range map[int32]string{
		2: "raise failures of window, which is 2 for Tasks of role worker, or maxRetryCount, which is 1 for role worker as a whole.",
		3: "raise maxRetryCount, which is 3 for Tasks of role worker and 1 for role worker as a whole.",
	} {
		task.RetryPolicyStatus.AccountableRetriedCount = counted
		said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n")
		if !strings.Contains(said, want) {
			t.Errorf("after %d retries it says\n%s\nand not %q", counted, said, want)
		}
	}
}
