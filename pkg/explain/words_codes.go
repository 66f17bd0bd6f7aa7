package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// codeWords are those of the predefined codes.
var codeWords = map[completion.Code]Word{
	completion.CodeSucceeded: {
		Means: "Everything went well.",
	},
	completion.CodeContainerTransientFailed: {
		Means:  "A container exited with 200, by which it says that the failure may pass: another try may well succeed.",
		Change: "see what it lacked, which its log tells.",
		Next:   []Step{seeLogs},
	},
	completion.CodeContainerTransientConflictFailed: {
		Means:  "A container exited with 201, by which it says that others had what it needed: another try may succeed, but not at once.",
		Change: "see what others held, which its log tells.",
		Next:   []Step{seeLogs},
	},
	completion.CodeContainerPermanentFailed: {
		Means:  "A container exited with 210, by which it says that another try would fail in the same way.",
		Change: "the program or its input, as its log tells. If another try may help after all, have it exit with 200.",
		Next:   []Step{seeLogs},
	},
	completion.CodeConfigMapExternalDeleted: {
		Means:  "Somebody deleted the ConfigMap that stands for the attempt, and all Pods of the attempt went with it. Nothing is wrong with the application.",
		Change: "have nobody delete the ConfigMap.",
		Next:   []Step{seeEvents},
	},
	completion.CodePodExternalDeleted: {
		Means:  "Somebody else had the Pod go: a user, an eviction, a preemption, or a node that was drained. Nothing is wrong with the application.",
		Change: "nothing, if Pods have to go from time to time.",
		Next:   []Step{seeEvents, seeNodes},
	},
	completion.CodeConfigMapLocalCacheCreationTimeout: {
		Means: "The ConfigMap of the attempt was created, but the controller did not see it in time, most likely because the API server is overloaded.",
		Next:  []Step{askAPI},
	},
	completion.CodePodLocalCacheCreationTimeout: {
		Means: "The Pod was created, but the controller did not see it in time, most likely because the API server is overloaded.",
		Next:  []Step{askAPI},
	},
	completion.CodePodCreationTransientError: {
		Means: "The Pod cannot be created for now, and the controller tries again.",
		Next:  []Step{seeEvents, seeQuota},
	},
	completion.CodePodUnschedulable: {
		Means:  "No nodes were found in time: for the Pods that are of use only together until spec.scheduling.timeoutSec was over, so all of them were given up together, or for the Pod of a Task until its startDeadline.unscheduledSec was. That lets others go first.",
		Change: "what the Pods ask for, the time that they are given, or the nodes.",
		Next:   []Step{seeNodes, seeEvents},
	},
	completion.CodePodImagePullFailed: {
		Means:  "The Pod had a node, but one of its images was not pulled before startDeadline.imagePullSec was over: its name is wrong, it needs credentials, or the registry cannot be reached.",
		Change: "the name of the image, or its imagePullSecrets.",
		Next:   []Step{seeEvents, seeSpec},
	},
	completion.CodePodContainerCreateFailed: {
		Means:  "The Pod had a node, but one of its containers was not created before startDeadline.containerCreateSec was over: what it needs is not there, such as a Secret or a ConfigMap, or its settings are wrong.",
		Change: "what the container refers to, or its settings.",
		Next:   []Step{seeEvents, seeSpec},
	},
	completion.CodePodStartTimeout: {
		Means:  "The Pod had a node, but did not run before startDeadline.notRunningSec was over: its images, volumes or network took too long, or its node does not work.",
		Change: "what the Pod needs before it runs, startDeadline.notRunningSec, or the node.",
		Next:   []Step{seeEvents, seeNode},
	},
	completion.CodePodCreationPermanentError: {
		Means:  "The API server refused the Pod as invalid or too large, and would refuse it again.",
		Change: "the Pod template of the role, as the API server says.",
		Next:   []Step{seeSpec},
	},
	completion.CodeStopFrameworkRequested: {
		Means: "A user stopped the Framework.",
	},
	completion.CodeFrameworkAttemptCompletion: {
		Means: "The Task had not ended by itself: it was cut short because the attempt of its Framework was over. That is no failure of the Task.",
		Next:  []Step{{"kubectl framework explain {framework} -n {namespace}", "says why the attempt was over"}},
	},
	completion.CodeDeleteTaskRequested: {
		Means: "A user lowered the number of Tasks, and this one is removed.",
	},
	completion.CodeRestartedWithPeers: {
		Means: "Another Task failed, and this one starts again with it, as restart of the retry policy, the retryPolicy of its role, or a plugin, says. It costs no retry, and is no failure of this Task.",
		Next:  []Step{{"kubectl framework explain {framework} -n {namespace}", "says how all Tasks stand"}},
	},
	completion.CodeNodesAvoidedTooStrictly: {
		Means: "The scheduler found no node for the Pod beside those that it had to avoid. It costs no retry, and later Pods only prefer other nodes.",
		Next:  []Step{seeEvents, seeNodes},
	},
	completion.CodeFrameworkSuspended: {
		Means: "A user suspended the Framework, which ended the attempt. It costs no retry.",
		Next:  []Step{resume},
	},
	completion.CodeEvictedByScheduler: {
		Means: "The scheduler took back the place that it had given to the attempt. It costs no retry, and the next attempt waits to be admitted.",
		Next:  []Step{seeEvents},
	},
	completion.CodePodFailedWithoutFailedContainer: {
		Means:  "The Pod failed although none of its containers did: its node had a reason of its own, such as an eviction or a deadline.",
		Change: "what the Pod asks for, or activeDeadlineSeconds, as the reason tells.",
		Next:   []Step{seeEvents, seeNode},
	},
	completion.CodePodCreationUnknownError: {
		Means:  "The API server refused the Pod, by a policy, a webhook or a missing permission, and it is not known whether another try would help.",
		Change: "the Pod template, or what refuses it, as the API server says.",
		Next:   []Step{seeEvents, seeSpec},
	},
}

var resume = Step{"kubectl framework start {framework} -n {namespace}", "lets it go on"}

// unrecognizedWord is that of a failed container of which no rule knows what it means.
var unrecognizedWord = Word{
	Means:  "A container failed, and no rule of the controller says what its exit code means, so it is not known whether another try would help.",
	Change: "find out why the container ended like that, and correct it.",
	Next:   []Step{seeLogs},
}

// configuredWord is that of a code which is neither predefined nor in the default configuration.
var configuredWord = Word{
	Means:  "A rule of this cluster recognized the failure, and gave it that name.",
	Change: "the cause that this name, and what is said of the container, point at.",
	Next:   []Step{seeLogs},
}

// CodeWord returns what is said of how an attempt has ended. A container may exit with the number of a predefined code, so
// the phrase is looked at, too.
func CodeWord(s v1.CompletionStatus) Word {
	switch {
	case completion.IsPredefined(s, s.Code):
		return codeWords[s.Code]
	case s.Phrase == completion.PhraseContainerUnrecognizedFailed:
		return unrecognizedWord
	case s.Type.Name == v1.CompletionSucceeded:
		return codeWords[completion.CodeSucceeded]
	}
	if word, ok := ruleWords[s.Phrase]; ok {
		return word
	}
	return configuredWord
}
