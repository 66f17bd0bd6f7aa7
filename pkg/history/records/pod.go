package records

import (
	"time"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Pod has the facts about an attempt that only its Pod has, as it was last seen.
type Pod struct {
	UID types.UID
	// A time is zero if it was not reached.
	created, scheduled, initialized, containersEnded time.Time
	containers                                       []*pluginpb.ContainerRecord
	requests                                         map[string]float64
	object                                           object
}

// PodOf returns the facts that the history keeps. With environment, the object of the Pod has the values of environment variables.
func PodOf(p *corev1.Pod, environment bool) *Pod {
	out := &Pod{UID: p.UID, created: p.CreationTimestamp.Time, requests: requestsOf(p)}
	if content, err := alike.Pod(p, environment); err == nil {
		out.object = pack(content)
	}
	for _, c := range p.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == corev1.PodScheduled:
			out.scheduled = c.LastTransitionTime.Time
		case c.Type == corev1.PodInitialized:
			out.initialized = c.LastTransitionTime.Time
		}
	}
	out.add(p.Status.InitContainerStatuses, p.Spec.InitContainers, true)
	out.add(p.Status.ContainerStatuses, p.Spec.Containers, false)
	return out
}

func (p *Pod) add(statuses []corev1.ContainerStatus, specs []corev1.Container, init bool) {
	images := map[string]string{}
	for _, c := range specs {
		images[c.Name] = c.Image
	}
	for _, s := range statuses {
		c := &pluginpb.ContainerRecord{Name: text(s.Name), Init: init, Image: text(images[s.Name]), ImageId: text(s.ImageID), Restarts: s.RestartCount}
		if t := s.State.Terminated; t != nil {
			c.ExitCode, c.Signal, c.Reason, c.Message = proto.Int32(t.ExitCode), t.Signal, text(t.Reason), text(t.Message)
			c.Started, c.Finished = timestamp(t.StartedAt.Time), timestamp(t.FinishedAt.Time)
			if !init && t.FinishedAt.After(p.containersEnded) {
				p.containersEnded = t.FinishedAt.Time
			}
		} else if r := s.State.Running; r != nil {
			c.Started = timestamp(r.StartedAt.Time)
		}
		p.containers = append(p.containers, c)
	}
}

// requestsOf sums the requests as the scheduler does, in cores, bytes, or the number of devices.
func requestsOf(p *corev1.Pod) map[string]float64 {
	out := map[string]float64{}
	for name, q := range resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{}) {
		out[text(string(name))] = q.AsApproximateFloat64()
	}
	return out
}

// enter adds the facts to the record of the Pod's attempt; it leaves other records as they are.
func (p *Pod) enter(r *pluginpb.TaskAttemptRecord) {
	if p == nil || string(p.UID) != r.GetPodUid() {
		return
	}
	r.PodCreated, r.Scheduled, r.Initialized = timestamp(p.created), timestamp(p.scheduled), timestamp(p.initialized)
	r.ContainersEnded, r.Containers, r.Requests = timestamp(p.containersEnded), p.containers, p.requests
	r.ObjectDigest = p.object.digest()
}
