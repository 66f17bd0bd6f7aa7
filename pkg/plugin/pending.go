package plugin

import (
	"context"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// PendingJudge judges Pods that have not started to run: no node is found, an image cannot be pulled, or a container
// cannot be created. It is asked only about Frameworks that set a startDeadline.
type PendingJudge interface {
	// JudgePending judges one such Pod; pod.Pending describes the obstacle. It is asked once the obstacle has lasted
	// for a few seconds, or at the deadline; again when the kind of obstacle changes; and again when a Wait is over.
	//
	// A Verdict ends the attempt of the Task now, before the deadline, with its code, which may be one of the codes of
	// deadlines. Wait lets the Pod take longer, whatever the deadline. Nil leaves the decision to the deadline.
	// Refusals, errors and repeated questions are as in FailureClassifier. Use PendingFor to judge how long the
	// obstacle has lasted.
	JudgePending(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error)
}

// PendingJudgeFunc adapts a function to a PendingJudge.
type PendingJudgeFunc func(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error)

// JudgePending calls the function.
func (f PendingJudgeFunc) JudgePending(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	return f(ctx, pod)
}

// Obstacles that keep a Pod from running: the kinds of a PendingPod.
const (
	// No node is found.
	Unscheduled = "Unscheduled"
	// An image cannot be pulled.
	ImagePull = "ImagePull"
	// A container cannot be created, for example because a Secret that it needs does not exist.
	ContainerCreate = "ContainerCreate"
	// It has a node, and no obstacle is known.
	NotRunning = "NotRunning"
)

// MaxWait is the longest time that one verdict may let a pending Pod take.
const MaxWait = 24 * time.Hour

// Wait returns the verdict that a pending Pod may take a duration longer from now on, in whole seconds, after which the
// question is repeated. Less than ten seconds count as ten, and more than MaxWait is a fault.
func Wait(d time.Duration) *pluginpb.Verdict {
	return &pluginpb.Verdict{WaitSeconds: int32(d / time.Second)}
}

// PendingFor returns how long the current obstacle has kept a Pod from running, according to the question; 0 if the
// question does not say.
func PendingFor(pod *pluginpb.FailedPod) time.Duration {
	p := pod.GetPending()
	if p.GetSince() == nil || p.GetNow() == nil {
		return 0
	}
	return p.GetNow().AsTime().Sub(p.GetSince().AsTime())
}
