package plugin

import (
	"context"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// PendingJudge judges Pods that do not get to run: no node is found, an image cannot be pulled, a container not be created. It
// is asked only about Frameworks that set a startDeadline.
type PendingJudge interface {
	// JudgePending says what is to become of one such Pod; pod.Pending says what keeps it. It is asked once that has lasted for a
	// few seconds, or at the deadline, and again when the kind of thing that keeps the Pod is another, and when a Wait is over.
	//
	// A Verdict ends the attempt of the Task now, before the deadline, with its code; it may have the codes that deadlines have.
	// Wait lets the Pod take longer, whatever the deadline says. With nil the deadline decides. Refusals, errors, and asking
	// again are as in FailureClassifier; how long it has lasted is to be judged by PendingFor.
	JudgePending(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error)
}

// PendingJudgeFunc is a function as a PendingJudge.
type PendingJudgeFunc func(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error)

// JudgePending calls the function.
func (f PendingJudgeFunc) JudgePending(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	return f(ctx, pod)
}

// What keeps a Pod from running: the kinds of a PendingPod.
const (
	// No node is found.
	Unscheduled = "Unscheduled"
	// An image is not pulled.
	ImagePull = "ImagePull"
	// A container is not created, as a Secret that it needs is not there.
	ContainerCreate = "ContainerCreate"
	// It has a node, and nothing is known against it.
	NotRunning = "NotRunning"
)

// MaxWait is how long a Pod that does not get to run may be waited for at once.
const MaxWait = 24 * time.Hour

// Wait returns the verdict that a Pod which does not get to run may take so long from now on, in whole seconds, and then is to
// be asked about again. Less than ten seconds are taken for ten, and more than MaxWait is a fault.
func Wait(d time.Duration) *pluginpb.Verdict {
	return &pluginpb.Verdict{WaitSeconds: int32(d / time.Second)}
}

// PendingFor returns how long a Pod has not got to run, for what keeps it now, as the question says; 0 if it does not say.
func PendingFor(pod *pluginpb.FailedPod) time.Duration {
	p := pod.GetPending()
	if p.GetSince() == nil || p.GetNow() == nil {
		return 0
	}
	return p.GetNow().AsTime().Sub(p.GetSince().AsTime())
}
