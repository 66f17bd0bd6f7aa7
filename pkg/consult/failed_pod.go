package consult

import (
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// FailedPod is a Pod to judge.
type FailedPod struct {
	// Question has no parameters; its UID is the Pod's, and unique in one call.
	Question *pluginpb.FailedPod
	// Outcome is the input of the built-in rules.
	Outcome completion.Pod
	// Events are read for plugins that want them; nil for none.
	Events *LastEvents
}

// NewFailedPod returns the question about the Pod of a Task, without facts that the Pod does not have: the Task's attempt, and
// the verdicts on earlier ones. The question has the containers of the outcome, which may be fewer than the Pod's.
func NewFailedPod(of *pluginpb.Framework, task lifecycle.TaskRef, p *corev1.Pod, outcome completion.Pod) FailedPod {
	q := podverdict.Question(outcome)
	q.Uid, q.Framework, q.TaskRole, q.TaskIndex = string(p.UID), of, task.Role, task.Index
	q.Labels, q.Annotations, q.Node = texts(p.Labels), texts(p.Annotations), podverdict.Text(p.Spec.NodeName)
	q.Conditions = conditionsOf(p.Status.Conditions)
	addDetails(q.Containers, p.Status.InitContainerStatuses)
	addDetails(q.Containers, p.Status.ContainerStatuses)
	return FailedPod{Question: q, Outcome: outcome}
}

// texts makes the keys and values of a map valid for a message. They may be any bytes: the API server does not check them in requests
// encoded as protobuf.
func texts(all map[string]string) map[string]string {
	out := make(map[string]string, len(all))
	for key, value := range all {
		out[podverdict.Text(key)] = podverdict.Text(value)
	}
	return out
}

func conditionsOf(conditions []corev1.PodCondition) []*pluginpb.PodCondition {
	var out []*pluginpb.PodCondition
	for _, c := range conditions {
		out = append(out, &pluginpb.PodCondition{
			Type: podverdict.Text(string(c.Type)), Status: podverdict.Text(string(c.Status)),
			Reason: podverdict.Text(c.Reason), Message: podverdict.Text(c.Message),
			LastTransitionTime: timestampOf(c.LastTransitionTime),
		})
	}
	return out
}

// addDetails adds facts that the built-in rules do not use. The question omits containers that are not in the outcome, because
// they do not complete the Pod.
func addDetails(containers []*pluginpb.Container, statuses []corev1.ContainerStatus) {
	for _, s := range statuses {
		i := slices.IndexFunc(containers, func(c *pluginpb.Container) bool { return c.GetName() == podverdict.Text(s.Name) })
		if i < 0 {
			continue
		}
		c := containers[i]
		c.Image, c.RestartCount = podverdict.Text(s.Image), s.RestartCount
		if w := s.State.Waiting; w != nil {
			c.WaitingReason, c.WaitingMessage = podverdict.Text(w.Reason), podverdict.Text(w.Message)
		}
		if t := s.State.Terminated; t != nil && c.Terminated != nil {
			c.Terminated.StartedAt = timestampOf(t.StartedAt)
		}
	}
}

func timestampOf(t metav1.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t.Time)
}
