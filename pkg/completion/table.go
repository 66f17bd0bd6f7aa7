package completion

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// The predefined codes (contract 4.2). A new one is a constant here and an entry in the table below.
const (
	CodeSucceeded Code = 0

	CodeContainerTransientFailed         Code = 200
	CodeContainerTransientConflictFailed Code = 201
	CodeContainerPermanentFailed         Code = 210

	CodeConfigMapExternalDeleted           Code = -100
	CodePodExternalDeleted                 Code = -101
	CodeConfigMapLocalCacheCreationTimeout Code = -110
	CodePodLocalCacheCreationTimeout       Code = -111
	CodePodCreationTransientError          Code = -120
	CodePodUnschedulable                   Code = -130
	CodePodImagePullFailed                 Code = -131
	CodePodContainerCreateFailed           Code = -132
	CodePodStartTimeout                    Code = -133
	CodeDeadlineExceeded                   Code = -140
	CodeTaskDeadlineExceeded               Code = -141

	CodePodCreationPermanentError  Code = -200
	CodeStopFrameworkRequested     Code = -210
	CodeFrameworkAttemptCompletion Code = -220
	CodeDeleteTaskRequested        Code = -230
	CodeRestartedWithPeers         Code = -240
	CodeNodesAvoidedTooStrictly    Code = -241
	CodeFrameworkSuspended         Code = -250
	CodeEvictedByScheduler         Code = -251

	CodePodFailedWithoutFailedContainer Code = -300
	CodePodCreationUnknownError         Code = -310
)

// Entry is one predefined code with all facts about it.
type Entry struct {
	Code   Code
	Phrase string
	// Attributes classify the failure for the decision on a retry; empty if the code does not classify it.
	Attributes []v1.CompletionTypeAttribute
	// Plugins is whether a plugin may give the code.
	Plugins Plugins
	// EndedByOthers: somebody, or something, has ended an attempt that might have gone on. It is no failure.
	EndedByOthers bool
	// Detailed: the diagnostics have the report of the API server, a scheduler, a node or Kubernetes, which the code lacks.
	Detailed bool
	// When is when an attempt ends with the code, for the manual.
	When string
	// Means describes the event, in whole sentences that follow after the code.
	Means string
	// Change is the advice that follows after "What to change: "; empty if nothing is wrong.
	Change string
	// Next are the commands to run next.
	Next []reason.Step
}

// Plugins is whether a plugin may give a predefined code.
type Plugins uint8

const (
	// NoPlugins: only the controller gives the code.
	NoPlugins Plugins = iota
	// PendingOnly: a plugin may give it to a Pod that does not get to run.
	PendingOnly
	// AnyPod: a plugin may give it to a failed Pod, too.
	AnyPod
)

// Type returns the completion type of the code, with attributes that are never null and not shared.
func (e Entry) Type() v1.CompletionType {
	name := v1.CompletionFailed
	if e.Code == CodeSucceeded {
		name = v1.CompletionSucceeded
	}
	return v1.CompletionType{Name: name, Attributes: append([]v1.CompletionTypeAttribute{}, e.Attributes...)}
}

// Table returns the predefined codes (contract 4.2). The first three are also rules: they match a failed Pod
// in which any container ended with that exit code.
func Table() []Entry {
	t := slices.Clone(table)
	for i := range t {
		t[i].Attributes = slices.Clone(t[i].Attributes)
	}
	return t
}

// EntryOf returns the entry of an outcome that has a predefined code with that code's own phrase.
func EntryOf(s v1.CompletionStatus) (entry Entry, predefined bool) {
	if e, ok := lookup(s.Code); ok && e.Phrase == s.Phrase {
		return e, true
	}
	return Entry{}, false
}

var (
	transient = []v1.CompletionTypeAttribute{v1.AttributeTransient}
	conflict  = []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributeConflict}
	permanent = []v1.CompletionTypeAttribute{v1.AttributePermanent}
)

var table = []Entry{
	{
		Code: CodeContainerTransientFailed, Phrase: "ContainerTransientFailed", Attributes: transient, Plugins: AnyPod,
		When:   "a container of the failed Pod ended with exit code 200",
		Means:  "A container exited with 200, which marks the failure as transient: another try may well succeed.",
		Change: "see in its log what it lacked.",
		Next:   []reason.Step{reason.SeeLogs},
	},
	{
		Code: CodeContainerTransientConflictFailed, Phrase: "ContainerTransientConflictFailed", Attributes: conflict, Plugins: AnyPod,
		When:   "a container of the failed Pod ended with exit code 201",
		Means:  "A container exited with 201, by which it says that others hold what it needs: another try may succeed, but not at once.",
		Change: "see in its log what others held.",
		Next:   []reason.Step{reason.SeeLogs},
	},
	{
		Code: CodeContainerPermanentFailed, Phrase: "ContainerPermanentFailed", Attributes: permanent, Plugins: AnyPod,
		When:   "a container of the failed Pod ended with exit code 210",
		Means:  "A container exited with 210, by which it says that another try would fail in the same way.",
		Change: "the program or its input, as its log says. If another try may help after all, let the program exit with 200.",
		Next:   []reason.Step{reason.SeeLogs},
	},
	{
		Code: CodeSucceeded, Phrase: "Succeeded",
		When:  "the Pod succeeded, or all Tasks completed",
		Means: "Everything went well.",
	},
	{
		Code: CodeConfigMapExternalDeleted, Phrase: "ConfigMapExternalDeleted", Attributes: transient,
		When:   "somebody else deleted the ConfigMap of the attempt",
		Means:  "Somebody deleted the ConfigMap that stands for the attempt, and all Pods of the attempt went with it. Nothing is wrong with the application.",
		Change: "let nobody delete the ConfigMap.",
		Next:   []reason.Step{reason.SeeEvents},
	},
	{
		Code: CodePodExternalDeleted, Phrase: "PodExternalDeleted", Attributes: transient, Detailed: true,
		When:   "somebody else deleted the Pod: eviction, preemption, node drain, a removed node, a user",
		Means:  "Somebody else deleted the Pod: a user, an eviction, a preemption, or a node that was drained. Nothing is wrong with the application.",
		Change: "nothing, if Pods have to go from time to time.",
		Next:   []reason.Step{reason.SeeEvents, reason.SeeNodes},
	},
	{
		Code: CodeConfigMapLocalCacheCreationTimeout, Phrase: "ConfigMapLocalCacheCreationTimeout", Attributes: transient,
		When:  "the controller did not see the created ConfigMap in time",
		Means: "The ConfigMap of the attempt was created, but the controller did not see it in time, most likely because the API server is overloaded.",
		Next:  []reason.Step{reason.AskAPIServer},
	},
	{
		Code: CodePodLocalCacheCreationTimeout, Phrase: "PodLocalCacheCreationTimeout", Attributes: transient,
		When:  "the controller did not see the created Pod in time",
		Means: "The Pod was created, but the controller did not see it in time, most likely because the API server is overloaded.",
		Next:  []reason.Step{reason.AskAPIServer},
	},
	{
		Code: CodePodCreationTransientError, Phrase: "PodCreationTransientError", Attributes: transient,
		When:  "the Pod cannot be created now; the controller tries again, so this code is never stored",
		Means: "The Pod cannot be created for now. The controller retries the creation.",
		Next:  []reason.Step{reason.SeeEvents, reason.SeeQuota},
	},
	{
		Code: CodePodUnschedulable, Phrase: "PodUnschedulable", Attributes: conflict, Plugins: PendingOnly, Detailed: true,
		When: "the gang of the Framework found no nodes within spec.scheduling.timeoutSec, or a Pod found none within startDeadline.unscheduledSec",
		Means: "No nodes were found in time: either for the gang within spec.scheduling.timeoutSec, so all its Pods were deleted together, " +
			"or for one Pod within startDeadline.unscheduledSec. This frees the nodes for others.",
		Change: "what the Pods request, the time that they are given, or the nodes.",
		Next:   []reason.Step{reason.SeeNodes, reason.SeeEvents},
	},
	{
		Code: CodePodImagePullFailed, Phrase: "PodImagePullFailed", Plugins: PendingOnly, Detailed: true,
		When: "an image of the Pod was not pulled within startDeadline.imagePullSec",
		Means: "The Pod had a node, but one of its images was not pulled before startDeadline.imagePullSec was over: its name is wrong, it needs credentials, " +
			"or the registry cannot be reached.",
		Change: "the name of the image, or its imagePullSecrets.",
		Next:   []reason.Step{reason.SeeEvents, reason.SeeSpec},
	},
	{
		Code: CodePodContainerCreateFailed, Phrase: "PodContainerCreateFailed", Plugins: PendingOnly, Detailed: true,
		When: "a container of the Pod was not created within startDeadline.containerCreateSec",
		Means: "The Pod had a node, but one of its containers was not created before startDeadline.containerCreateSec was over: something that it needs does not exist, " +
			"such as a Secret or a ConfigMap, or its settings are wrong.",
		Change: "the objects that the container refers to, or its settings.",
		Next:   []reason.Step{reason.SeeEvents, reason.SeeSpec},
	},
	{
		Code: CodePodStartTimeout, Phrase: "PodStartTimeout", Attributes: transient, Plugins: PendingOnly, Detailed: true,
		When: "the Pod had a node, but did not run within startDeadline.notRunningSec",
		Means: "The Pod had a node, but did not run before startDeadline.notRunningSec was over: its images, volumes or network took too long, " +
			"or its node does not work.",
		Change: "what the Pod needs before it runs, startDeadline.notRunningSec, or the node.",
		Next:   []reason.Step{reason.SeeEvents, reason.SeeNode},
	},
	{
		Code: CodeDeadlineExceeded, Phrase: "DeadlineExceeded", Attributes: permanent, Detailed: true,
		When:   "the Framework ran for spec.activeDeadlineSeconds; regardless of the retry policy, no other attempt follows",
		Means:  "The Framework ran for as long as spec.activeDeadlineSeconds allows, over all its attempts, so its Pods were deleted.",
		Change: "raise spec.activeDeadlineSeconds, or shorten the work.",
		Next:   []reason.Step{reason.SeeTasks, reason.SeeSpec},
	},
	{
		Code: CodeTaskDeadlineExceeded, Phrase: "TaskDeadlineExceeded", Detailed: true,
		When:   "the attempt of the Task ran for task.activeDeadlineSeconds",
		Means:  "The attempt of the Task ran for as long as task.activeDeadlineSeconds of its role allows, so its Pod was deleted.",
		Change: "raise task.activeDeadlineSeconds of the role, or shorten the work.",
		Next:   []reason.Step{reason.SeeSpec},
	},
	{
		Code: CodePodCreationPermanentError, Phrase: "PodCreationPermanentError", Attributes: permanent, Detailed: true,
		When:   "the Pod cannot be created, as it is invalid or too large, or its item lacks the key of a placeholder",
		Means:  "The Pod cannot be created, because the template of its role or its item is invalid or too large, and another try would end in the same way.",
		Change: "the Pod template or the items of the role; the message names the mistake.",
		Next:   []reason.Step{reason.SeeSpec},
	},
	{
		Code: CodeStopFrameworkRequested, Phrase: "StopFrameworkRequested", Attributes: permanent, EndedByOthers: true,
		When:  "the Framework was stopped",
		Means: "A user stopped the Framework.",
	},
	{
		Code: CodeFrameworkAttemptCompletion, Phrase: "FrameworkAttemptCompletion", Attributes: permanent, EndedByOthers: true,
		When:  "the Task was cut short because the attempt of its Framework completed",
		Means: "The Task had not ended by itself: it was cut short because the attempt of its Framework was over. That is no failure of the Task.",
		Next:  []reason.Step{{Command: "kubectl framework explain {framework} -n {namespace}", Why: "says why the attempt was over"}},
	},
	{
		Code: CodeDeleteTaskRequested, Phrase: "DeleteTaskRequested", Attributes: permanent, EndedByOthers: true,
		When:  "a scale-down removed the Task",
		Means: "A user lowered the number of Tasks, or removed the role, and this Task is removed.",
	},
	{
		Code: CodeRestartedWithPeers, Phrase: "RestartedWithPeers", Attributes: transient, EndedByOthers: true,
		When: "another Task failed, and this one restarts with it; regardless of the retry policy, its next attempt begins together with the others, uncounted",
		Means: "Another Task failed, and this one restarts with it, because of restart in the retry policy, the retryPolicy of its role, or a plugin. " +
			"It uses up no retry, and is no failure of this Task.",
		Next: []reason.Step{{Command: "kubectl framework explain {framework} -n {namespace}", Why: "says how all Tasks stand"}},
	},
	{
		Code: CodeNodesAvoidedTooStrictly, Phrase: "NodesAvoidedTooStrictly", Attributes: transient, EndedByOthers: true, Detailed: true,
		When:  "the scheduler found no node for the Pod except the nodes to avoid; regardless of the retry policy, another attempt follows, uncounted, and only prefers other nodes",
		Means: "The scheduler found no node for the Pod except the nodes that it must avoid. The retry is not counted, and later Pods only prefer other nodes.",
		Next:  []reason.Step{reason.SeeEvents, reason.SeeNodes},
	},
	{
		Code: CodeFrameworkSuspended, Phrase: "FrameworkSuspended", Attributes: transient, EndedByOthers: true,
		When:  "the Framework was suspended; regardless of the retry policy, another attempt begins when it is resumed, uncounted",
		Means: "A user suspended the Framework, which ended the attempt. It uses up no retry.",
		Next:  []reason.Step{reason.StartFramework},
	},
	{
		Code: CodeEvictedByScheduler, Phrase: "EvictedByScheduler", Attributes: transient, EndedByOthers: true, Detailed: true,
		When:  "the scheduler took the attempt back; regardless of the retry policy, another attempt waits to be admitted, uncounted",
		Means: "The scheduler evicted the attempt. It uses up no retry, and the next attempt waits to be admitted.",
		Next:  []reason.Step{reason.SeeEvents},
	},
	{
		Code: CodePodFailedWithoutFailedContainer, Phrase: "PodFailedWithoutFailedContainer", Plugins: AnyPod,
		When:   "the Pod failed, no rule matched, and no container failed",
		Means:  "The Pod failed although none of its containers did: its node had a reason of its own, such as an eviction or a deadline.",
		Change: "what the Pod requests, or activeDeadlineSeconds, as the reason says.",
		Next:   []reason.Step{reason.SeeEvents, reason.SeeNode},
	},
	{
		Code: CodePodCreationUnknownError, Phrase: "PodCreationUnknownError", Detailed: true,
		When:   "the API server refused the Pod, and it is unclear whether another attempt helps",
		Means:  "The API server rejected the Pod, because of a policy, a webhook or a missing permission, and it is not known whether another try would help.",
		Change: "the Pod template, or the policy that rejects it, as the API server says.",
		Next:   []reason.Step{reason.SeeEvents, reason.SeeSpec},
	},
}

func lookup(code Code) (Entry, bool) {
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{}, false
	}
	return table[i], true
}
