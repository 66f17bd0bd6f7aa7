package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// taskOf returns the Task whose Pod an action is about; ok is false if it is about something else.
func taskOf(a lifecycle.Action) (ref lifecycle.TaskRef, ok bool) {
	switch a := a.(type) {
	case lifecycle.CreatePod:
		return a.Task, true
	case lifecycle.DeletePod:
		return a.Task, true
	case lifecycle.ReadPod:
		return a.Task, true
	case lifecycle.ClassifyPod:
		return a.Task, true
	case lifecycle.JudgeStart:
		return a.Task, true
	case lifecycle.ArchiveTask:
		return a.Task, true
	case lifecycle.CollectLogs:
		return a.Task, true
	}
	return lifecycle.TaskRef{}, false
}

// companionOf returns the companion that an action is about; ok is false if it is about something else.
func companionOf(a lifecycle.Action) (c lifecycle.Companion, ok bool) {
	switch a := a.(type) {
	case lifecycle.KeepCompanion:
		return a.Companion, true
	case lifecycle.DeleteCompanion:
		return a.Companion, true
	}
	return "", false
}

// isQuestion reports whether an action is answered by plugins, and not by the API server.
func isQuestion(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.ClassifyPod, lifecycle.JudgeStart, lifecycle.DecideCompletion, lifecycle.AskHints, lifecycle.PrepareHints, lifecycle.CollectLogs:
		return true
	}
	return archives(a)
}

// archives reports whether an action has something archived. It is about what is stored already, and needs no other write.
func archives(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.ArchiveTask, lifecycle.ArchiveAttempt:
		return true
	}
	return false
}

// topic identifies the subject of an action. A question replaces an earlier one with the same topic, whose answer is no longer
// needed.
func topic(a lifecycle.Action) any {
	switch a := a.(type) {
	case lifecycle.DecideCompletion:
		return "completion"
	case lifecycle.AskHints, lifecycle.PrepareHints:
		return "hints"
	case lifecycle.DeletePod: // whatever its cause is
		a.Why = reason.Deletion{}
		return a
	case lifecycle.DeleteConfigMap:
		a.Why = reason.Deletion{}
		return a
	}
	return a
}

func creates(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.CreateConfigMap, lifecycle.CreatePod, lifecycle.KeepCompanion, lifecycle.KeepClaim:
		return true
	}
	return false
}

// reads reports whether an action changes nothing. It needs no stored status to justify it.
func reads(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.ReadConfigMap, lifecycle.ReadItems, lifecycle.ReadPod:
		return true
	}
	return false
}

func among(actions []lifecycle.Action, are func(lifecycle.Action) bool) (found []lifecycle.Action) {
	for _, a := range actions {
		if are(a) {
			found = append(found, a)
		}
	}
	return found
}

// waitingAction is an action as status.waiting names it.
func waitingAction(a lifecycle.Action) waiting.Action {
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return waiting.CreateConfigMap
	case lifecycle.DeleteConfigMap:
		return waiting.DeleteConfigMap
	case lifecycle.ReadConfigMap:
		return waiting.ReadConfigMap
	case lifecycle.ReadItems:
		return waiting.ReadItems
	case lifecycle.CreatePod:
		return waiting.CreatePod
	case lifecycle.DeletePod:
		return waiting.DeletePod
	case lifecycle.ReadPod:
		return waiting.ReadPod
	case lifecycle.KeepCompanion:
		if a.Companion == lifecycle.KeySecret {
			return waiting.KeepSecret
		}
		return waiting.KeepService
	case lifecycle.DeleteCompanion:
		if a.Companion == lifecycle.KeySecret {
			return waiting.DeleteSecret
		}
		return waiting.DeleteService
	case lifecycle.KeepClaim:
		return waiting.KeepClaim
	case lifecycle.DeleteClaim:
		return waiting.DeleteClaim
	case lifecycle.DeleteFramework:
		return waiting.DeleteFramework
	case lifecycle.ClassifyPod:
		return waiting.ClassifyPod
	case lifecycle.JudgeStart:
		return waiting.JudgeStart
	case lifecycle.DecideCompletion:
		return waiting.DecideCompletion
	case lifecycle.AskHints:
		return waiting.AskHints
	case lifecycle.PrepareHints:
		return waiting.PrepareHints
	case lifecycle.ArchiveTask:
		return waiting.ArchiveTask
	case lifecycle.ArchiveAttempt:
		return waiting.ArchiveAttempt
	case lifecycle.CollectLogs:
		return waiting.CollectLogs
	}
	return ""
}

// objectOf names the object of an action that is about no Pod; empty if it has none.
func objectOf(framework string, a waiting.Action) string {
	switch a {
	case waiting.CreateConfigMap, waiting.DeleteConfigMap, waiting.ReadConfigMap:
		return v1.ConfigMapName(framework)
	case waiting.KeepService, waiting.DeleteService:
		return lifecycle.NameService.Name(framework)
	case waiting.KeepSecret, waiting.DeleteSecret:
		return lifecycle.KeySecret.Name(framework)
	}
	return ""
}
