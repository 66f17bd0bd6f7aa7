package pluginreload

import (
	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// healthLog logs the health of plugins, without repeating the same state.
type healthLog struct {
	log    hclog.Logger
	logged map[string]pluginhost.Health // last logged health by plugin, reduced to the fields that are compared
}

// changed is never called concurrently.
func (l *healthLog) changed(h pluginhost.Health) {
	reduced := pluginhost.Health{State: h.State, Version: h.Version, PID: h.PID, Replacement: h.Replacement}
	if l.logged[h.Name] == reduced {
		return
	}
	l.logged[h.Name] = reduced
	fields := []any{"plugin", h.Name, "state", h.State, "version", h.Version, "pid", h.PID, "restarts", h.Restarts}
	if h.LastFault != nil && h.State != pluginhost.Ready {
		fields = append(fields, "fault", h.LastFault.Error())
	}
	if h.Replacement != "" {
		fields = append(fields, "replacement", h.Replacement)
	}
	switch h.State {
	case pluginhost.Failing, pluginhost.CircuitOpen, pluginhost.Refused:
		l.log.Warn("plugin changed", fields...)
	default:
		l.log.Info("plugin changed", fields...)
	}
}
