package controller

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// otherReasons stands for the reasons of the condition Waiting that are not counted by themselves.
const otherReasons = "other"

// waitingReasons are those that Frameworks are counted by. An API server, or a webhook, may give any other.
var waitingReasons = [...]string{
	lifecycle.ReasonUnschedulable, lifecycle.ReasonImageNotPulled, lifecycle.ReasonContainerNotStarted,
	lifecycle.ReasonContainerCrashing, lifecycle.ReasonPodNotStarted, lifecycle.ReasonSchedulingGated, lifecycle.ReasonPodNotScheduled,
	lifecycle.ReasonTooManyTasks,
	lifecycle.ReasonPodTerminating, lifecycle.ReasonConfigMapTerminating,
	"ServiceAccountNotFound", "PriorityClassNotFound", "RuntimeClassNotFound",
	nameConflict, "Forbidden", "InternalError", requestRefused, unreachable,
	memoryLimitReached, pluginUnavailable, pluginRefused, hintsRefused, hintsObjectsFailed, schedulerNotReady,
	otherReasons,
}

// Waiters are how many Frameworks wait for one reason, as stored.
type Waiters struct {
	// Reason of the condition Waiting, or "other".
	Reason     string
	Frameworks int64
}

// Waiting returns how many Frameworks wait, for each reason. It costs the same however many there are.
func (c *Controller) Waiting() []Waiters {
	all := make([]Waiters, len(waitingReasons))
	for i, reason := range waitingReasons {
		all[i] = Waiters{reason, c.reporter.census.waiting[i].Load()}
	}
	return all
}

// placeOfWaiting is 1 + the place of what a Framework waits for in waitingReasons; 0 if it waits for nothing.
func placeOfWaiting(s *lifecycle.State) int {
	condition := waiting(s)
	if condition == nil {
		return 0
	}
	if i := slices.Index(waitingReasons[:], condition.Reason); i >= 0 {
		return 1 + i
	}
	return len(waitingReasons)
}
