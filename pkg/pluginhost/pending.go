package pluginhost

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// JudgesPending reports whether a FailureClassifier may be asked about pending Pods: it states that it judges them, or
// has not described itself yet. Classify never asks a process that does not judge such Pods about one.
func (h *Host) JudgesPending(name string) bool {
	s := h.slot(name)
	if s == nil || s.kind != plugin.KindFailureClassifier {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.described == nil || s.described.judgesPending
}

// judgeable returns the Pods that a process judges. A process built for a contract without pending Pods would treat
// them as failed.
func (ch *child) judgeable(pods []*pluginpb.FailedPod) []*pluginpb.FailedPod {
	if ch.judgesPending {
		return pods
	}
	return slices.DeleteFunc(slices.Clone(pods), func(p *pluginpb.FailedPod) bool { return p.GetPending() != nil })
}
