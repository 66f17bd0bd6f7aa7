package ended

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
)

// Framework returns the Framework as its status had it at the end of the attempt, as far as the history knows. The spec is empty, except
// that the spec of a Framework that was stopped wants the stop.
func (a *Attempt) Framework() *v1.Framework {
	f := &v1.Framework{}
	f.Name, f.Namespace, f.UID, f.Labels = a.Of.Name, a.Of.Namespace, types.UID(a.Of.UID), a.Of.Labels
	f.Annotations = linkAnnotations(a.Of.Links)
	f.CreationTimestamp = metav1.NewTime(a.Of.Created)
	end := CompletionStatus(&a.Completion)
	if completion.IsPredefined(end, completion.CodeStopFrameworkRequested) {
		f.Spec.ExecutionType = v1.ExecutionStop
	}
	f.Status = &v1.FrameworkStatus{
		StartTime: metav1.NewTime(a.Of.Created), State: v1.AttemptCompleted, TransitionTime: metav1.NewTime(a.Ended),
		RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: a.ID},
		AttemptStatus: v1.FrameworkAttemptStatus{
			ID: a.ID, StartTime: metav1.NewTime(a.Began), RunTime: timeOrNil(a.Ran), CompletionTime: new(metav1.NewTime(a.Ended)),
			CompletionStatus: &v1.FrameworkAttemptCompletionStatus{CompletionStatus: end}, TaskRoleStatuses: a.Roles(),
		},
	}
	if a.TriggerRole != "" && a.TriggerIndex != nil {
		f.Status.AttemptStatus.CompletionStatus.Trigger = &v1.CompletionTrigger{TaskRoleName: a.TriggerRole, TaskIndex: *a.TriggerIndex}
	}
	if a.Of.Completed != nil && !a.Retry.Follows {
		f.Status.State, f.Status.CompletionTime = v1.Completed, timeOrNil(a.Of.Completed)
	}
	return f
}

// Roles returns the Tasks as their last attempts left them.
func (a *Attempt) Roles() []v1.TaskRoleStatus {
	roles := []v1.TaskRoleStatus{}
	for i := range a.TaskAttempts {
		t := &a.TaskAttempts[i]
		if n := len(roles); n == 0 || roles[n-1].Name != t.Role {
			roles = append(roles, v1.TaskRoleStatus{Name: t.Role})
		}
		role := &roles[len(roles)-1]
		if n := len(role.TaskStatuses); n > 0 && role.TaskStatuses[n-1].Index == t.Index {
			role.TaskStatuses[n-1] = taskAfter(&role.TaskStatuses[n-1], a.TaskAttempts[i-1].Retry, t)
			continue
		}
		role.TaskStatuses = append(role.TaskStatuses, taskStatus(t))
	}
	return roles
}

// taskStatus returns a Task as an attempt left it.
func taskStatus(t *historyapi.TaskAttempt) v1.TaskStatus {
	end := metav1.NewTime(t.Ended)
	s := v1.TaskStatus{
		Index: t.Index, InstanceUID: t.TaskUID, StartTime: metav1.NewTime(t.Began), CompletionTime: &end, State: v1.Completed, TransitionTime: end,
		RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: t.Attempt},
		AttemptStatus: v1.TaskAttemptStatus{
			ID: t.Attempt, StartTime: metav1.NewTime(t.Began), RunTime: timeOrNil(t.Ran), CompletionTime: &end, PodName: t.Pod,
			CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: CompletionStatus(&t.Completion)},
		},
	}
	if t.Node != "" {
		s.AttemptStatus.PodNodeName = &t.Node
	}
	if t.PodUID != "" {
		s.AttemptStatus.PodUID = new(types.UID(t.PodUID))
	}
	if len(t.Containers) > 0 {
		s.AttemptStatus.CompletionStatus.Pod = podEndOf(t.Containers)
	}
	return s
}

// taskAfter returns a Task as it is after a retry, in its next attempt. After a rescale it may be another instance, which begins from zero.
func taskAfter(before *v1.TaskStatus, by historyapi.Retry, t *historyapi.TaskAttempt) v1.TaskStatus {
	s := taskStatus(t)
	if before.InstanceUID != s.InstanceUID {
		return s
	}
	a := &before.AttemptStatus
	s.RetryPolicyStatus.AccountableRetriedCount = before.RetryPolicyStatus.AccountableRetriedCount
	if row, _ := retry.RowOf(by.Row); by.Follows && row.Accountable {
		s.RetryPolicyStatus.AccountableRetriedCount++
	}
	s.EarlierAttempts = append(before.EarlierAttempts, v1.EarlierTaskAttempt{
		ID: a.ID, CompletionTime: *a.CompletionTime, Code: a.CompletionStatus.Code, Phrase: a.CompletionStatus.Phrase, Node: nodeOf(a)})
	return s
}

func nodeOf(a *v1.TaskAttemptStatus) string {
	if a.PodNodeName == nil {
		return ""
	}
	return *a.PodNodeName
}

func podEndOf(containers []historyapi.Container) *v1.PodCompletionStatus {
	p := &v1.PodCompletionStatus{}
	for i := range containers {
		c := &containers[i]
		end := v1.ContainerCompletionStatus{Name: c.Name, Reason: c.Reason, Message: c.Message, Signal: c.Signal}
		if c.ExitCode != nil {
			end.Code = *c.ExitCode
		}
		p.Containers = append(p.Containers, end)
	}
	return p
}

// CompletionStatus converts an outcome to its form in a status.
func CompletionStatus(c *historyapi.Completion) v1.CompletionStatus {
	s := v1.CompletionStatus{Code: c.Code, Phrase: c.Phrase, Type: v1.CompletionType{Name: v1.CompletionTypeName(c.Type)}, Diagnostics: c.Diagnostics,
		Remedy: c.Remedy}
	for _, a := range c.Attributes {
		s.Type.Attributes = append(s.Type.Attributes, v1.CompletionTypeAttribute(a))
	}
	if c.Plugin != "" {
		s.Source = &v1.CompletionSource{Plugin: c.Plugin, Version: c.PluginVersion, Rule: c.Rule}
	}
	return s
}

func timeOrNil(at *time.Time) *metav1.Time {
	if at == nil {
		return nil
	}
	return new(metav1.NewTime(*at))
}

// linkAnnotations are the annotations with these links.
func linkAnnotations(of []historyapi.Link) map[string]string {
	var all []links.Link
	for _, l := range of {
		all = append(all, links.Link{Name: l.Name, URL: l.URL})
	}
	return links.Annotations(all)
}
