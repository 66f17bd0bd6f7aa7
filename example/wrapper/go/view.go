package portal

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Phase is the one word that a user sees first.
type Phase string

// Phases. The last three are final.
const (
	Queued    Phase = "Queued"    // the controller has not seen it yet
	Held      Phase = "Held"      // executionType is Create
	Starting  Phase = "Starting"  // no Pod runs yet
	Running   Phase = "Running"   // a Pod has run in this attempt
	Ending    Phase = "Ending"    // the attempt has ended, its Pods are leaving
	Retrying  Phase = "Retrying"  // another attempt follows
	Suspended Phase = "Suspended" // spec.suspend
	Deleting  Phase = "Deleting"
	Invalid   Phase = "Invalid" // the controller ignores it
	Succeeded Phase = "Succeeded"
	Failed    Phase = "Failed"
	Stopped   Phase = "Stopped" // failed with -210: somebody has set executionType to Stop
)

// stopped is the code of a Framework that was stopped.
const stopped = -210

// View is what a list of jobs shows of one.
type View struct {
	Name  string `json:"name"`
	Phase Phase  `json:"phase"`
	// Reason is for programs and for a link to help: the reason of the condition Waiting, or the phrase of the code at the end.
	Reason string `json:"reason,omitempty"`
	// Message is for people.
	Message string `json:"message,omitempty"`
	// Code is the completion code in a final phase.
	Code      *int32 `json:"code,omitempty"`
	Attempt   int32  `json:"attempt"`
	Running   int32  `json:"running"`
	Succeeded int32  `json:"succeeded"`
	Failed    int32  `json:"failed"`
	Total     int32  `json:"total"`
}

// Final reports whether the Framework no longer changes, so that it may be recorded and billed.
func (v View) Final() bool {
	return v.Phase == Succeeded || v.Phase == Failed || v.Phase == Stopped
}

// ViewOf makes a view of conditions, counts and codes, which are stable, and of no sentence.
func ViewOf(f *v1.Framework) View {
	v := View{Name: f.Name, Phase: Queued}
	s := f.Status
	if s == nil {
		return v
	}
	v.Attempt = s.AttemptStatus.ID
	if t := s.Tasks; t != nil {
		v.Running, v.Succeeded, v.Failed, v.Total = t.Running, t.Succeeded, t.Failed-t.CutShort, t.Total
	}
	conditions := map[string]metav1.Condition{}
	for _, c := range s.Conditions {
		if c.Status == metav1.ConditionTrue {
			conditions[c.Type] = c
		}
	}
	if completed, ok := conditions[v1.ConditionCompleted]; ok {
		return v.ended(f, completed)
	}
	if invalid, ok := conditions[v1.ConditionStatusInvalid]; ok {
		v.Phase, v.Reason, v.Message = Invalid, invalid.Reason, invalid.Message
		return v
	}
	if waiting, ok := conditions[v1.ConditionWaiting]; ok {
		v.Reason, v.Message = waiting.Reason, waiting.Message
	}
	_, suspended := conditions[v1.ConditionSuspended]
	switch {
	case f.DeletionTimestamp != nil:
		v.Phase = Deleting
	case suspended:
		v.Phase = Suspended
	case f.Spec.ExecutionType == v1.ExecutionCreate:
		v.Phase = Held
	case s.State == v1.AttemptRunning:
		v.Phase = Running
	case s.RetryPolicyStatus.RetryDelaySec != nil:
		v.Phase = Retrying
	case s.AttemptStatus.CompletionStatus != nil:
		v.Phase = Ending
	default:
		v.Phase = Starting
	}
	return v
}

func (v View) ended(f *v1.Framework, completed metav1.Condition) View {
	v.Message = completed.Message
	v.Phase = Failed
	if completed.Reason == "Succeeded" {
		v.Phase = Succeeded
	}
	if end := f.Status.AttemptStatus.CompletionStatus; end != nil {
		v.Code, v.Reason = &end.Code, end.Phrase
		if end.Code == stopped {
			v.Phase = Stopped
		}
	}
	return v
}

// maxUnpackedBytes limits the size of an unpacked status.
const maxUnpackedBytes = 256 << 20

// TasksOf returns the roles with their Tasks. The status of many Tasks is stored compressed.
func TasksOf(f *v1.Framework) (roles []v1.TaskRoleStatus, err error) {
	if f.Status == nil || len(f.Status.AttemptStatus.TaskRoleStatusesCompressed) == 0 {
		if f.Status != nil {
			roles = f.Status.AttemptStatus.TaskRoleStatuses
		}
		return roles, nil
	}
	plain, err := gzip.NewReader(bytes.NewReader(f.Status.AttemptStatus.TaskRoleStatusesCompressed))
	if err != nil {
		return nil, err
	}
	return roles, json.NewDecoder(io.LimitReader(plain, maxUnpackedBytes)).Decode(&roles)
}
