package pluginreload

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// replacesPolicy reports whether a new process answers for a completion policy, and records it.
func replacesPolicy(h pluginhost.Health, processes map[string]int) bool {
	if h.Kind != plugin.KindCompletionPolicy || h.State != pluginhost.Ready || processes[h.Name] == h.PID {
		return false
	}
	processes[h.Name] = h.PID
	return true
}

// policiesOf returns the completion policies among plugins.
func policiesOf(all []pluginhost.Config) []pluginhost.Config {
	return slices.DeleteFunc(slices.Clone(all), func(c pluginhost.Config) bool { return c.Kind != plugin.KindCompletionPolicy })
}
