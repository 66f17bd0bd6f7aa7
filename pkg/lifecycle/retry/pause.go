package retry

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// A node may refuse every Pod placed on it, and the scheduler may place the next one there at once. The kubelet's reason is often
// transient, so such a Pod is retried without limit. From the second consecutive attempt whose Pod never ran, the retry waits,
// and waits longer each time. Attempts that have only ended because of other Tasks do not count. The number of attempts is read
// from the status, so a controller that takes over continues with it.

// longestPause is in seconds. A mended node gets its next Pod after that time at the latest.
const longestPause = 60

// pauseSec is the wait, in seconds, before the retry after the given number of consecutive attempts whose Pods never ran: 0 after
// the first, 1 after the second, and then twice as long each time.
func pauseSec(attempts int32) int64 {
	if attempts < 2 {
		return 0
	}
	return backoffSec(&v1.RetryBackoffSpec{InitialDelaySec: 1, MaxDelaySec: longestPause}, attempts-2)
}

// neverRan reports whether the Pod of an attempt failed and none of its containers had ever started.
func neverRan(a *v1.TaskAttemptStatus) bool {
	s := a.CompletionStatus
	return a.RunTime == nil && s != nil && s.Type.Name == v1.CompletionFailed && s.Pod != nil && !slices.ContainsFunc(s.Pod.Containers, hadStarted)
}

// containerNotFound is the kubelet's reason for a container that it does not find. It may never have existed.
const containerNotFound = "ContainerStatusUnknown"

// hadStarted reports whether a container of a Pod that was never seen to run had started. One that has not ended has no more
// than its name in a status.
func hadStarted(c v1.ContainerCompletionStatus) bool {
	return (c.Reason != "" || c.Code != 0 || c.Signal != 0) && c.Reason != containerNotFound
}

// PauseSec is the minimum wait, in seconds, before the retry of a Task whose attempt has ended; 0 if its Pod ran.
func PauseSec(t *v1.TaskStatus) int64 {
	if !neverRan(&t.AttemptStatus) {
		return 0
	}
	attempts := int32(1)
	for _, a := range slices.Backward(t.EarlierAttempts) {
		switch {
		case a.RunTime != nil || mayHaveRun(&a):
			return pauseSec(attempts)
		case !endedAs(&a, completion.CodeRestartedWithPeers): // it shows nothing about its own Pod
			attempts++
		}
	}
	return pauseSec(attempts)
}

// exitKilled is also the code that the kubelet reports for a container that it does not find.
const exitKilled = 137

// mayHaveRun reports whether a container of an earlier attempt may have started although its Pod was never seen to run: it has exited
// within a second, or others have deleted the Pod. The code of a rule or plugin does not show this: it may be for a refused Pod.
func mayHaveRun(a *v1.EarlierTaskAttempt) bool {
	return a.Type.Name == v1.CompletionSucceeded ||
		a.Phrase == completion.PhraseContainerUnrecognizedFailed && a.Code != exitKilled ||
		endedAs(a, completion.CodeContainerTransientFailed, completion.CodeContainerTransientConflictFailed, completion.CodeContainerPermanentFailed,
			completion.CodePodExternalDeleted)
}

// endedAs reports whether an earlier attempt has ended with one of these predefined codes.
func endedAs(a *v1.EarlierTaskAttempt, codes ...completion.Code) bool {
	return completion.IsPredefined(v1.CompletionStatus{Code: a.Code, Phrase: a.Phrase}, codes...)
}

// FrameworkPauseSec is the minimum wait, in seconds, before the retry of a Framework whose attempt was ended by trigger; 0 if its
// Pod ran, or if no Task has ended the attempt and trigger is nil. Earlier attempts of the Framework are not in its status, so all
// its retries count, as for a backoff.
func FrameworkPauseSec(s *v1.FrameworkStatus, trigger *v1.TaskStatus) int64 {
	if trigger == nil || !neverRan(&trigger.AttemptStatus) {
		return 0
	}
	return pauseSec(s.RetryPolicyStatus.TotalRetriedCount + 1)
}
