package e2e

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// describe renders a status for people, and for comparison: one line for the Framework, then one for each Task.
//
//	Completed attempt=1 retried=1/1 code=1 ContainerUnrecognizedFailed trigger=worker-0
//	worker-0 Completed retried=1/1 code=1 ContainerUnrecognizedFailed
//
// Retries are given in total, and counted against the limit.
func describe(s *v1.FrameworkStatus) string {
	if s == nil {
		return "no status\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s attempt=%d %s", s.State, s.AttemptStatus.ID, retries(s.RetryPolicyStatus))
	if c := s.AttemptStatus.CompletionStatus; c != nil {
		fmt.Fprint(&out, outcome(c.CompletionStatus), trigger(c.Trigger))
	}
	fmt.Fprintln(&out)
	for _, role := range s.AttemptStatus.TaskRoleStatuses {
		for _, task := range role.TaskStatuses {
			fmt.Fprintf(&out, "%s-%d %s\n", role.Name, task.Index, describeTask(task))
		}
	}
	return out.String()
}

func describeTask(s v1.TaskStatus) string {
	line := fmt.Sprintf("%s %s", s.State, retries(s.RetryPolicyStatus))
	if c := s.AttemptStatus.CompletionStatus; c != nil {
		line += outcome(c.CompletionStatus)
	}
	if s.DeletionPending {
		line += " deletionPending"
	}
	return line
}

func retries(s v1.RetryPolicyStatus) string {
	line := fmt.Sprintf("retried=%d/%d", s.TotalRetriedCount, s.AccountableRetriedCount)
	if s.RetryDelaySec != nil {
		line += fmt.Sprintf(" delay=%d", *s.RetryDelaySec)
	}
	return line
}

func outcome(s v1.CompletionStatus) string { return fmt.Sprintf(" code=%d %s", s.Code, s.Phrase) }

func trigger(t *v1.CompletionTrigger) string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf(" trigger=%s-%d", t.TaskRoleName, t.TaskIndex)
}

// text renders any object for a failed test.
func text(o runtime.Object) string {
	if f, ok := o.(*v1.Framework); ok && f != nil {
		return describe(f.Status)
	}
	body, _ := json.Marshal(o)
	return string(body)
}

// task returns the status of a Task, or nil.
func task(f *v1.FrameworkStatus, role string, index int) *v1.TaskStatus {
	for _, r := range f.AttemptStatus.TaskRoleStatuses {
		if r.Name == role && index < len(r.TaskStatuses) {
			return &r.TaskStatuses[index]
		}
	}
	return nil
}
