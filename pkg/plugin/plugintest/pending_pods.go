package plugintest

import (
	"math"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// RandomPendingPod generates a Pod that has not started to run, without UID.
func RandomPendingPod(r *rand.Rand) *pluginpb.FailedPod {
	pod := RandomPod(r)
	pod.Reason, pod.Message = "", ""
	pod.Pending = &pluginpb.PendingPod{Kind: pick(r, plugin.Unscheduled, plugin.ImagePull, plugin.ContainerCreate, plugin.NotRunning), Since: moment(r), Now: moment(r)}
	if r.IntN(2) == 0 {
		pod.Pending.Deadline = moment(r)
	}
	if pod.Pending.Kind == plugin.Unscheduled {
		pod.Node, pod.Containers = "", nil
		pod.Pending.Reason, pod.Pending.Message = "Unschedulable", pick(r, "", "0/3 nodes are available: 3 Insufficient cpu")
		return pod
	}
	for _, c := range pod.Containers {
		c.Terminated = nil
		c.WaitingReason = pick(r, "ContainerCreating", "ErrImagePull", "ImagePullBackOff", "CreateContainerConfigError")
		c.WaitingMessage = pick(r, "", "manifest unknown", "toomanyrequests", `secret "key" not found`)
		pod.Pending.Container, pod.Pending.Reason, pod.Pending.Message = c.Name, c.WaitingReason, c.WaitingMessage
	}
	return pod
}

// oddPendingPods are unusual Pods that a plugin must survive. Their UIDs describe the oddity.
func oddPendingPods() []*pluginpb.FailedPod {
	return []*pluginpb.FailedPod{
		{Uid: "nothing but that it does not run", Pending: &pluginpb.PendingPod{}},
		{Uid: "a kind of a later version", Pending: &pluginpb.PendingPod{Kind: "OnStrike"}},
		{Uid: "a deadline before its beginning", Pending: &pluginpb.PendingPod{Kind: plugin.NotRunning,
			Since: &timestamppb.Timestamp{Seconds: math.MaxInt32}, Deadline: &timestamppb.Timestamp{Seconds: -1}}},
		{Uid: "a long message", Pending: &pluginpb.PendingPod{Kind: plugin.ImagePull, Message: strings.Repeat("\"<\n", 100<<10)}},
	}
}
