package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"

// waitingReasons are those that Frameworks are counted by. An API server, or a webhook, may give any other.
var waitingReasons = []string{
	lifecycle.ReasonUnschedulable, lifecycle.ReasonImageNotPulled, lifecycle.ReasonContainerNotStarted,
	lifecycle.ReasonContainerCrashing, lifecycle.ReasonContainersLeft, lifecycle.ReasonPodNotStarted, lifecycle.ReasonSchedulingGated, lifecycle.ReasonPodNotScheduled,
	lifecycle.ReasonTooManyTasks, lifecycle.ReasonStartBlocked, lifecycle.ReasonStartsLater,
	lifecycle.ReasonPodTerminating, lifecycle.ReasonConfigMapTerminating,
	"ServiceAccountNotFound", "PriorityClassNotFound", "RuntimeClassNotFound",
	nameConflict, "Invalid", "Forbidden", "InternalError", requestRefused, unreachable,
	memoryLimitReached, pluginUnavailable, pluginRefused, hintsRefused, hintsObjectsFailed, schedulerNotReady,
	namesUnresolvable,
}
