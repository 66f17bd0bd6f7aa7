package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// conditionWords are those of the types of conditions, when they are true.
var conditionWords = map[string]Word{
	v1.ConditionRunning:       {Means: "The current attempt runs."},
	v1.ConditionCompleted:     {Means: "The Framework has ended for good."},
	v1.ConditionFailed:        {Means: "The Framework has ended for good, and not with success."},
	v1.ConditionSuspended:     {Means: "The Framework is suspended: nothing of it runs.", Ends: "It goes on when spec.suspend is false.", Next: []Step{resume}},
	v1.ConditionWaiting:       {Means: "Something outside keeps the Framework from going on."},
	v1.ConditionStatusInvalid: {Means: "The Framework, as it is stored, makes no sense to the controller, which leaves it alone.", Next: []Step{seeSpec}},
}

// reasonWords are those of the reasons of conditions other than Waiting.
var reasonWords = map[string]Word{
	// Running, and Completed before it is true, have the state for a reason.
	string(v1.AttemptCreationPending):   {Means: "The attempt is about to begin."},
	string(v1.AttemptCreationRequested): {Means: "The attempt has begun, and nothing of it is seen yet."},
	string(v1.AttemptPreparing):         {Means: "The attempt has begun, and none of its Tasks has run yet."},
	string(v1.AttemptRunning):           {Means: "The attempt runs."},
	string(v1.AttemptDeletionPending):   {Means: "The attempt is decided, and what is left of it is about to be deleted."},
	string(v1.AttemptDeletionRequested): {Means: "The attempt is decided, and what is left of it is being deleted."},
	string(v1.AttemptDeleting):          {Means: "The attempt is decided, and its Pods are terminating."},
	string(v1.AttemptCompleted):         {Means: "The attempt is over and all its Pods are gone; it may be followed by another one."},
	string(v1.Completed):                {Means: "That was the last attempt."},
	string(v1.CompletionSucceeded):      {Means: "It ended with success."},
	string(v1.CompletionFailed):         {Means: "It ended, and not with success."},
	lifecycle.ReasonSuspended:           {Means: "A user suspended the Framework.", Ends: "It goes on when spec.suspend is false.", Next: []Step{resume}},
	lifecycle.ReasonResumed:             {Means: "A user lets the Framework go on after it was suspended."},
	"Stopped":                           {Means: "The Framework was stopped while it was suspended, so it does not go on."},
	"NothingInTheWay":                   {Means: "What the Framework waited for is over."},
	"StatusRepaired":                    {Means: "The Framework makes sense to the controller again."},
	"StatusInvalid": {
		Means: "The stored status was written by somebody else, or damaged, and makes no sense, so the controller leaves the Framework alone.",
		Ends:  "It ends when the status is repaired, or the Framework is deleted and created again.",
		Next:  []Step{seeSpec},
	},
	"SpecInvalid": {
		Means: "The stored spec makes no sense to the controller, which leaves the Framework alone.",
		Ends:  "It ends when the spec is corrected.",
		Next:  []Step{seeSpec, editSpec},
	},
}
