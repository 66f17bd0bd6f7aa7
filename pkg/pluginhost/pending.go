package pluginhost

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// JudgesPending reports whether a FailureClassifier may be asked about Pods that do not get to run: it says that it judges
// them, or has not said anything yet. Classify asks no process about one that does not judge such Pods.
func (h *Host) JudgesPending(name string) bool {
	s := h.slot(name)
	if s == nil || s.kind != plugin.KindFailureClassifier {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.described == nil || s.described.judgesPending
}

// judgeable returns the Pods that a process judges. One that was made for a contract without pending Pods would take them for
// failed ones.
func (ch *child) judgeable(pods []*pluginpb.FailedPod) []*pluginpb.FailedPod {
	if ch.judgesPending {
		return pods
	}
	return slices.DeleteFunc(slices.Clone(pods), func(p *pluginpb.FailedPod) bool { return p.GetPending() != nil })
}
