package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// pluginCalls are the metrics of questions. Plugins have their names in the configuration.
type pluginCalls struct {
	calls, questions, faults *prometheus.CounterVec
	durations                *prometheus.HistogramVec
}

func newPluginCalls(r *prometheus.Registry) pluginCalls {
	return pluginCalls{
		calls: counters(r, "plugin_calls_total",
			"Calls to plugins.", "plugin", "kind", "method", "result"),
		questions: counters(r, "plugin_questions_total",
			"Questions to plugins. One call can ask about many failed Pods.", "plugin", "kind", "method"),
		faults: counters(r, "plugin_faults_total",
			"Calls to plugins without a usable answer.", "plugin", "kind", "reason"),
		durations: histograms(r, "plugin_call_duration_seconds",
			"Duration of calls to plugins, with or without an answer.", pluginBuckets, "plugin", "kind", "method"),
	}
}

// PluginCalled counts a call to a plugin.
func (s *Set) PluginCalled(c pluginhost.Call) {
	p, kind, result := s.plugins, string(c.Kind), "answered"
	if c.Fault != nil {
		result = "fault"
		p.faults.WithLabelValues(c.Plugin, kind, string(c.Fault.Kind)).Inc()
	}
	p.calls.WithLabelValues(c.Plugin, kind, c.Method, result).Inc()
	p.questions.WithLabelValues(c.Plugin, kind, c.Method).Add(float64(c.Questions))
	p.durations.WithLabelValues(c.Plugin, kind, c.Method).Observe(c.Duration.Seconds())
}

// PluginSource provides the states of plugins; *pluginhost.Host implements it.
type PluginSource interface {
	Health() []pluginhost.Health
}

// FollowPlugins adds the states of the currently configured plugins. It may be called once.
func (s *Set) FollowPlugins(source PluginSource) {
	s.registry.MustRegister(pluginHealth{
		source: source,
		up:     describe("plugin_up", "1 if the plugin runs and answers, otherwise 0.", "plugin", "kind"),
		state: describe("plugin_state",
			"1 for the current state of the plugin, 0 for its other states.", "plugin", "kind", "state"),
		restarts: describe("plugin_restarts_total", "Restarts of the process of the plugin since its configuration last changed.", "plugin", "kind"),
	})
}

type pluginHealth struct {
	source              PluginSource
	up, state, restarts *prometheus.Desc
}

// pluginStates are the possible states of a configured plugin.
var pluginStates = []pluginhost.State{
	pluginhost.Starting, pluginhost.Ready, pluginhost.Failing, pluginhost.CircuitOpen, pluginhost.Refused,
}

func (p pluginHealth) Describe(descs chan<- *prometheus.Desc) {
	descs <- p.up
	descs <- p.state
	descs <- p.restarts
}

func (p pluginHealth) Collect(metrics chan<- prometheus.Metric) {
	for _, h := range p.source.Health() {
		tell := func(d *prometheus.Desc, t prometheus.ValueType, value float64, more ...string) {
			metrics <- prometheus.MustNewConstMetric(d, t, value, append([]string{h.Name, string(h.Kind)}, more...)...)
		}
		tell(p.up, prometheus.GaugeValue, oneIf(h.State == pluginhost.Ready))
		tell(p.restarts, prometheus.CounterValue, float64(h.Restarts))
		for _, s := range pluginStates {
			tell(p.state, prometheus.GaugeValue, oneIf(h.State == s), string(s))
		}
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
