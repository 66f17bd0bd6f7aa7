package consult

import (
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// NewLogsQuestion returns the question about the logs of a Task's Pod, without its containers. Labels and annotations of the Framework
// are left out: there is a question for each Pod, and they may be large.
func NewLogsQuestion(of *pluginpb.Framework, task lifecycle.TaskRef, t *v1.TaskStatus, wishes *v1.TaskLogsSpec) *pluginpb.CollectLogsRequest {
	a := &t.AttemptStatus
	return &pluginpb.CollectLogsRequest{
		Framework: &pluginpb.Framework{Namespace: of.GetNamespace(), Name: of.GetName(), Uid: of.GetUid(), AttemptId: of.GetAttemptId()},
		TaskRole:  task.Role, TaskIndex: task.Index, TaskAttemptId: a.ID, TaskUid: t.InstanceUID,
		PodName:   v1.PodName(of.GetName(), task.Role, task.Index),
		Succeeded: a.CompletionStatus != nil && a.CompletionStatus.Type.Name == v1.CompletionSucceeded,
		Wishes:    logWishes(wishes),
	}
}

func logWishes(l *v1.TaskLogsSpec) *pluginpb.LogWishes {
	if l == nil {
		return nil
	}
	return &pluginpb.LogWishes{None: l.Policy == v1.LogNone, HeadBytes: l.HeadBytes, TailBytes: l.TailBytes, Containers: l.Containers}
}

// LoggedContainers lists the containers of a Pod that have started, init containers first.
func LoggedContainers(s *corev1.PodStatus) (all []*pluginpb.LoggedContainer) {
	for _, statuses := range [][]corev1.ContainerStatus{s.InitContainerStatuses, s.ContainerStatuses} {
		for _, c := range statuses {
			if running := c.State.Running != nil; running || c.State.Terminated != nil || c.LastTerminationState.Terminated != nil {
				all = append(all, &pluginpb.LoggedContainer{Name: podverdict.Text(c.Name), Running: running, Restarts: c.RestartCount})
			}
		}
	}
	return all
}

// ContainersOfTemplate lists the containers that a Pod in that phase may have started, by the template of its role. It is for a Pod with
// unknown containers. It returns nil if the template cannot be read.
func ContainersOfTemplate(template v1.PodTemplate, phase corev1.PodPhase) (all []*pluginpb.LoggedContainer) {
	type container struct {
		Name          string                        `json:"name"`
		RestartPolicy corev1.ContainerRestartPolicy `json:"restartPolicy"`
	}
	var pod struct {
		Spec struct {
			InitContainers []container `json:"initContainers"`
			Containers     []container `json:"containers"`
		} `json:"spec"`
	}
	if objects.ReadTemplate(template, &pod) != nil {
		return nil
	}
	runs := phase == corev1.PodRunning
	for _, c := range pod.Spec.InitContainers {
		all = append(all, &pluginpb.LoggedContainer{Name: podverdict.Text(c.Name), Running: runs && c.RestartPolicy == corev1.ContainerRestartPolicyAlways})
	}
	if phase == corev1.PodPending {
		return all
	}
	for _, c := range pod.Spec.Containers {
		all = append(all, &pluginpb.LoggedContainer{Name: podverdict.Text(c.Name), Running: runs})
	}
	return all
}
