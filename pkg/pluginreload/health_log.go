package pluginreload

import (
	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// healthLog logs the health of plugins, and the same only once.
type healthLog struct {
	log    hclog.Logger
	logged map[string]pluginhost.Health // what was logged last, by plugin, reduced to what makes a difference
}

// changed is never called twice at the same time.
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
		l.log.Warn("plugin has changed", fields...)
	default:
		l.log.Info("plugin has changed", fields...)
	}
}
