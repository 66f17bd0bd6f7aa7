package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// The cause of a deletion follows from the stored state, wherever an attempt has ended: so it is the same after a restart, and
// known for past deletions. An object missing from the stored state is deleted for what it is, such as an orphan.

// causesOfTask maps the code of an attempt that the controller has ended to the cause of deleting its Pod.
var causesOfTask = []endedBy{
	{completion.CodePodLocalCacheCreationTimeout, reason.NeverSeen},
	{completion.CodePodUnschedulable, reason.StartDeadline},
	{completion.CodePodImagePullFailed, reason.StartDeadline},
	{completion.CodePodContainerCreateFailed, reason.StartDeadline},
	{completion.CodePodStartTimeout, reason.StartDeadline},
	{completion.CodeTaskDeadlineExceeded, reason.TaskDeadline},
	{completion.CodeDeleteTaskRequested, reason.ScaleDown},
	{completion.CodeRestartedWithPeers, reason.RestartWithPeers},
	{completion.CodeNodesAvoidedTooStrictly, reason.AvoidedNodes},
}

// causesOfFramework maps the code of an attempt that no Task has decided to the cause of deleting the ConfigMap, and the objects
// that it owns.
var causesOfFramework = []endedBy{
	{completion.CodeConfigMapLocalCacheCreationTimeout, reason.NeverSeen},
	{completion.CodePodUnschedulable, reason.NotPlaced},
	{completion.CodeStopFrameworkRequested, reason.Stop},
	{completion.CodeDeadlineExceeded, reason.ActiveDeadline},
	{completion.CodeFrameworkSuspended, reason.Suspension},
	{completion.CodeEvictedByScheduler, reason.Eviction},
}

type endedBy struct {
	code  completion.Code
	cause reason.Cause
}

// causeOf returns the cause for an attempt that ended so; otherwise if none of the list fits.
func causeOf(s v1.CompletionStatus, list []endedBy, otherwise reason.Cause) reason.Cause {
	for _, by := range list {
		if completion.IsPredefined(s, by.code) {
			return by.cause
		}
	}
	return otherwise
}

// AttemptDeletion returns why the ConfigMap of the current attempt, and its Pods with it, are deleted under the given retry
// policy of the Framework. It is the zero value while the attempt is not decided.
func AttemptDeletion(policy v1.RetryPolicySpec, s *v1.FrameworkStatus) reason.Deletion {
	how := s.AttemptStatus.CompletionStatus
	if how == nil {
		return reason.Deletion{}
	}
	d := reason.Deletion{Cause: reason.AttemptEnded, Ended: true, Code: how.Code}
	if how.Trigger == nil {
		d.Cause = causeOf(how.CompletionStatus, causesOfFramework, reason.AttemptEnded)
	}
	ended := retry.Ending{Status: how.CompletionStatus, Time: s.TransitionTime.Time}
	d.Row = string(retry.Decide(retry.OfFramework(policy, s.RetryPolicyStatus, ended)).ID)
	return d
}

func (r *round) deletion() reason.Deletion {
	return AttemptDeletion(r.in.Framework.Spec.RetryPolicy, &r.status)
}

// deletion returns the cause of deleting the Pod of a decided attempt.
func (t task) deletion() reason.Deletion {
	s := t.status()
	how := s.AttemptStatus.CompletionStatus
	if how == nil || completion.IsPredefined(how.CompletionStatus, completion.CodeFrameworkAttemptCompletion) {
		return t.r.deletion()
	}
	d := reason.Deletion{Cause: causeOf(how.CompletionStatus, causesOfTask, reason.TaskEnded), Ended: true, Code: how.Code}
	if t.r.completing() || t.role.spec == nil {
		return d
	}
	return withRetry(d, t.retryCaseOf(retry.EndingOf(&s.AttemptStatus, s.TransitionTime.Time)))
}

// withRetry adds the retry policy's decision on the attempt of a Task.
func withRetry(d reason.Deletion, c retry.Case) reason.Deletion {
	decided := retry.Decide(c)
	if d.Row = string(decided.ID); d.Cause == reason.TaskEnded && decided.Follows {
		d.Cause = reason.TaskRetry
	}
	return d
}

// PodDeletion returns the cause for which the Pod of a Task's current attempt is or was deleted, according to the stored status. It is the
// zero value if there was no Pod, if the attempt goes on, and if others have deleted the Pod or its ConfigMap.
func PodDeletion(spec *v1.FrameworkSpec, s *v1.FrameworkStatus, role string, t *v1.TaskStatus) reason.Deletion {
	how, whole := t.AttemptStatus.CompletionStatus, s.AttemptStatus.CompletionStatus
	if how == nil || t.AttemptStatus.PodUID == nil || completion.IsPredefined(how.CompletionStatus, completion.CodePodExternalDeleted) {
		return reason.Deletion{}
	}
	if completion.IsPredefined(how.CompletionStatus, completion.CodeFrameworkAttemptCompletion) {
		if whole == nil || completion.IsPredefined(whole.CompletionStatus, completion.CodeConfigMapExternalDeleted) {
			return reason.Deletion{}
		}
		return AttemptDeletion(spec.RetryPolicy, s)
	}
	d := reason.Deletion{Cause: causeOf(how.CompletionStatus, causesOfTask, reason.TaskEnded), Ended: true, Code: how.Code}
	status, of := roleOf(spec, s, role)
	if whole != nil || of == nil || status == nil || t.State == v1.Completed {
		return d
	}
	return withRetry(d, retry.OfTask(of, status.RetriedCount, t, retry.EndingOf(&t.AttemptStatus, t.TransitionTime.Time)))
}

func roleOf(spec *v1.FrameworkSpec, s *v1.FrameworkStatus, name string) (*v1.TaskRoleStatus, *v1.TaskRoleSpec) {
	for i := range s.AttemptStatus.TaskRoleStatuses {
		if role := &s.AttemptStatus.TaskRoleStatuses[i]; role.Name == name {
			return role, specsByName(spec)[name]
		}
	}
	return nil, nil
}

// unseen returns the cause of deleting an object that no watch has shown: its attempt ends with the code when the object is gone.
func unseen(code completion.Code, list []endedBy) reason.Deletion {
	return reason.Deletion{Cause: causeOf(completion.Predefined(code, ""), list, reason.NeverSeen), Ended: true, Code: code}
}

// forcedBy returns the cause of a deletion by force, given the cause of the first deletion.
func forcedBy(first reason.Deletion) reason.Deletion {
	first.Cause = reason.ForcedAfterTimeout
	return first
}
