package completion

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Entry is one predefined code.
type Entry struct {
	Code   Code
	Phrase string
	// What the code says about another attempt; empty when it says nothing.
	Attributes []v1.CompletionTypeAttribute
	// For people: when an attempt ends like this.
	When string
}

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

var (
	transient = []v1.CompletionTypeAttribute{v1.AttributeTransient}
	conflict  = []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributeConflict}
	permanent = []v1.CompletionTypeAttribute{v1.AttributePermanent}
)

var table = []Entry{
	{CodeContainerTransientFailed, "ContainerTransientFailed", transient,
		"a container of the failed Pod ended with exit code 200"},
	{CodeContainerTransientConflictFailed, "ContainerTransientConflictFailed", conflict,
		"a container of the failed Pod ended with exit code 201"},
	{CodeContainerPermanentFailed, "ContainerPermanentFailed", permanent,
		"a container of the failed Pod ended with exit code 210"},
	{CodeSucceeded, "Succeeded", nil,
		"the Pod succeeded, or all Tasks completed"},
	{CodeConfigMapExternalDeleted, "ConfigMapExternalDeleted", transient,
		"somebody else deleted the attempt's ConfigMap"},
	{CodePodExternalDeleted, "PodExternalDeleted", transient,
		"somebody else deleted the Pod: eviction, preemption, node drain, a removed node, a user"},
	{CodeConfigMapLocalCacheCreationTimeout, "ConfigMapLocalCacheCreationTimeout", transient,
		"the created ConfigMap did not show up in time"},
	{CodePodLocalCacheCreationTimeout, "PodLocalCacheCreationTimeout", transient,
		"the created Pod did not show up in time"},
	{CodePodCreationTransientError, "PodCreationTransientError", transient,
		"the Pod could not be created for now; creation is tried again, so this is never stored"},
	{CodePodUnschedulable, "PodUnschedulable", conflict,
		"the Pods of the Framework's gang had no nodes when spec.scheduling.timeoutSec was over, or a Task's Pod had none when startDeadline.unscheduledSec was"},
	{CodePodImagePullFailed, "PodImagePullFailed", nil,
		"an image of the Pod was not pulled within startDeadline.imagePullSec"},
	{CodePodContainerCreateFailed, "PodContainerCreateFailed", nil,
		"a container of the Pod was not created within startDeadline.containerCreateSec"},
	{CodePodStartTimeout, "PodStartTimeout", transient,
		"the Pod had a node, and did not run within startDeadline.notRunningSec"},
	{CodePodCreationPermanentError, "PodCreationPermanentError", permanent,
		"the API server refused the Pod as invalid or too large"},
	{CodeStopFrameworkRequested, "StopFrameworkRequested", permanent,
		"the Framework was stopped"},
	{CodeFrameworkAttemptCompletion, "FrameworkAttemptCompletion", permanent,
		"the Task was cut short because its Framework attempt completed"},
	{CodeDeleteTaskRequested, "DeleteTaskRequested", permanent,
		"a scale-down removed the Task"},
	{CodeRestartedWithPeers, "RestartedWithPeers", transient,
		"another Task failed with which this one starts again; whatever the retry policy says, another attempt begins with the others', and is not counted"},
	{CodeNodesAvoidedTooStrictly, "NodesAvoidedTooStrictly", transient,
		"no node was found for the Pod beside those that it must avoid; whatever the retry policy says, another one prefers others only, and is not counted"},
	{CodeFrameworkSuspended, "FrameworkSuspended", transient,
		"the Framework was suspended; whatever the retry policy says, another attempt begins when it is resumed, and is not counted"},
	{CodeEvictedByScheduler, "EvictedByScheduler", transient,
		"the scheduler took the attempt back; whatever the retry policy says, another one waits to be admitted, and is not counted"},
	{CodePodFailedWithoutFailedContainer, "PodFailedWithoutFailedContainer", nil,
		"the Pod failed, no pattern matched, and no container ended with a failure"},
	{CodePodCreationUnknownError, "PodCreationUnknownError", nil,
		"the API server refused the Pod, and it is unclear whether another attempt helps"},
}

func lookup(code Code) (Entry, bool) {
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{}, false
	}
	return table[i], true
}
