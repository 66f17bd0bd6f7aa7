package pluginhost

import "github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"

// WantsEvents reports whether a FailureClassifier wants the last events of the Pods that it judges. One that has not described itself yet
// does not: reading them costs the API server something.
func (h *Host) WantsEvents(name string) bool {
	s := h.slot(name)
	if s == nil || s.kind != plugin.KindFailureClassifier {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.described != nil && s.described.wantsEvents
}
