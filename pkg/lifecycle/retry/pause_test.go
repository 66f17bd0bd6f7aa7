package retry

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// The Pod's own reports, and whether it was seen running, decide whether the Pod of an attempt ever ran.
func TestNeverRan(t *testing.T) {
	failed := func(containers ...v1.ContainerCompletionStatus) *v1.TaskAttemptCompletionStatus {
		return &v1.TaskAttemptCompletionStatus{
			CompletionStatus: completion.Predefined(completion.CodePodFailedWithoutFailedContainer, ""),
			Pod:              &v1.PodCompletionStatus{Reason: "OutOfcpu", Containers: containers},
		}
	}
	deleted := &v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(completion.CodePodExternalDeleted, "")}
	succeeded := &v1.TaskAttemptCompletionStatus{
		CompletionStatus: completion.Predefined(completion.CodeSucceeded, ""), Pod: &v1.PodCompletionStatus{},
	}
	tests := map[string]struct {
		attempt v1.TaskAttemptStatus
		want    bool
	}{
		"refused":                        {v1.TaskAttemptStatus{CompletionStatus: failed()}, true},
		"refused, and lists a container": {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "c"})}, true},
		"a container was not found":      {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "c", Reason: "ContainerStatusUnknown", Code: 137})}, true},
		"an init container has ended":    {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "i", Reason: "Completed"}, v1.ContainerCompletionStatus{Name: "c"})}, false},
		"failed before it was seen":      {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "c", Code: 1})}, false},
		"seen to run":                    {v1.TaskAttemptStatus{CompletionStatus: failed(), RunTime: &metav1.Time{}}, false},
		"deleted by others":              {v1.TaskAttemptStatus{CompletionStatus: deleted}, false},
		"succeeded":                      {v1.TaskAttemptStatus{CompletionStatus: succeeded}, false},
		"not over":                       {v1.TaskAttemptStatus{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := neverRan(&test.attempt); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// An earlier attempt that was not seen to run counts as one whose Pod never ran, unless its container has exited, others have deleted
// its Pod, or it has ended only because of another Task.
func TestAttemptsInARowThatNeverRan(t *testing.T) {
	earlier := func(code int32, phrase string) v1.EarlierTaskAttempt {
		return v1.EarlierTaskAttempt{Code: code, Phrase: phrase, Type: v1.CompletionType{Name: v1.CompletionFailed}}
	}
	predefined := func(code completion.Code) v1.EarlierTaskAttempt {
		s := completion.Predefined(code, "")
		return v1.EarlierTaskAttempt{Code: s.Code, Phrase: s.Phrase, Type: s.Type}
	}
	refused, peers := predefined(completion.CodePodFailedWithoutFailedContainer), predefined(completion.CodeRestartedWithPeers)
	ran := refused
	ran.RunTime = &metav1.Time{}
	const exited = completion.PhraseContainerUnrecognizedFailed
	tests := map[string]struct {
		earlier []v1.EarlierTaskAttempt
		want    int64
	}{
		"none":                           {nil, 0},
		"refused":                        {[]v1.EarlierTaskAttempt{refused, refused}, 2},
		"refused, by a rule":             {[]v1.EarlierTaskAttempt{earlier(-1002, "PodOutOfResource"), earlier(900, "NodeFull")}, 2},
		"ran":                            {[]v1.EarlierTaskAttempt{refused, ran}, 0},
		"exited at once":                 {[]v1.EarlierTaskAttempt{refused, earlier(1, exited)}, 0},
		"exited at once, on Windows":     {[]v1.EarlierTaskAttempt{refused, earlier(completion.OfExit(-1), exited)}, 0},
		"exited before a refusal":        {[]v1.EarlierTaskAttempt{refused, refused, earlier(1, exited), refused}, 1},
		"exited with an agreed code":     {[]v1.EarlierTaskAttempt{refused, predefined(completion.CodeContainerTransientFailed)}, 0},
		"the container was not found":    {[]v1.EarlierTaskAttempt{earlier(137, exited)}, 1},
		"succeeded, and is always again": {[]v1.EarlierTaskAttempt{refused, predefined(completion.CodeSucceeded)}, 0},
		"deleted by others":              {[]v1.EarlierTaskAttempt{refused, predefined(completion.CodePodExternalDeleted)}, 0},
		"drawn along":                    {[]v1.EarlierTaskAttempt{peers, peers}, 0},
		"drawn along between refusals":   {[]v1.EarlierTaskAttempt{refused, peers, refused, peers}, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			task := &v1.TaskStatus{EarlierAttempts: test.earlier, AttemptStatus: v1.TaskAttemptStatus{CompletionStatus: &v1.TaskAttemptCompletionStatus{
				CompletionStatus: completion.Predefined(completion.CodePodFailedWithoutFailedContainer, ""), Pod: &v1.PodCompletionStatus{Reason: "OutOfcpu"},
			}}}
			if got := PauseSec(task); got != test.want {
				t.Errorf("got %d s, want %d s", got, test.want)
			}
		})
	}
}
