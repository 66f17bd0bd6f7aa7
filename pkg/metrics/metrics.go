package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace is the prefix of all our own metrics.
const namespace = "frameworkcontroller"

// Options configure a Set.
type Options struct {
	// Version of the controller.
	Version string
	// Codes are the completion codes of the configuration. The predefined codes are always known; all others are counted as
	// "other", since plugins and containers may end with any number.
	Codes []int32
}

// Set has all metrics of one process. It implements controller.Observer. Its methods are safe for concurrent use.
type Set struct {
	registry *prometheus.Registry
	codes    codeLabels

	rounds     *prometheus.HistogramVec
	writes     *prometheus.HistogramVec
	writeBytes prometheus.Histogram
	actions    *prometheus.HistogramVec
	attempts   map[subject]*prometheus.CounterVec
	retries    map[subject]*prometheus.CounterVec
	watches    *prometheus.CounterVec
	// by source, and without label
	nodesAvoided   *prometheus.CounterVec
	nodesNeeded    prometheus.Counter
	historyDropped prometheus.Counter
	logsMissed     *prometheus.CounterVec
	shadowVerdicts *prometheus.CounterVec
	deletions      *prometheus.CounterVec
	plugins        pluginCalls
	history        historyCounters
	queue          queueMetrics
	client         clientMetrics
}

// New returns a Set with all counts at zero.
func New(o Options) *Set {
	s := &Set{registry: prometheus.NewRegistry(), codes: newCodeLabels(o.Codes)}
	s.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(o.Version),
	)
	s.registerController()
	s.plugins = newPluginCalls(s.registry)
	s.history = newHistoryCounters(s.registry)
	s.queue = newQueueMetrics(s.registry)
	s.client = newClientMetrics(s.registry)
	return s
}

// Handler answers scrapes.
func (s *Set) Handler() http.Handler {
	// A few at a time: frequent scrapes must not take the controller's time.
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Always 1. The labels have the version of the controller and of Go.",
	}, []string{"version", "go_version"})
	g.WithLabelValues(version, runtime.Version()).Set(1)
	return g
}

// registered registers a metric. The name is ours, and can be taken only because of a bug in this package.
func registered[C prometheus.Collector](r *prometheus.Registry, c C) C {
	r.MustRegister(c)
	return c
}

func counters(r *prometheus.Registry, name, help string, labels ...string) *prometheus.CounterVec {
	o := prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
	return registered(r, prometheus.NewCounterVec(o, labels))
}

func counter(r *prometheus.Registry, name, help string) prometheus.Counter {
	return registered(r, prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}))
}

func gauge(r *prometheus.Registry, name, help string) prometheus.Gauge {
	return registered(r, prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}))
}

func histograms(r *prometheus.Registry, name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return registered(r, prometheus.NewHistogramVec(histogramOptions(name, help, bounds), labels))
}

func histogram(r *prometheus.Registry, name, help string, bounds []float64) prometheus.Histogram {
	return registered(r, prometheus.NewHistogram(histogramOptions(name, help, bounds)))
}

func histogramOptions(name, help string, bounds []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds}
}

// Upper bounds of the buckets of histograms.
var (
	// From a decision in memory to a request that runs into its timeout, in seconds.
	roundBuckets = []float64{0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5, 30}
	// From a quick answer of the API server to the timeout, in seconds.
	requestBuckets = []float64{0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
	// From a plugin that answers at once to the longest timeout that can be configured, in seconds.
	pluginBuckets = []float64{0.0002, 0.0005, 0.001, 0.003, 0.01, 0.05, 0.25, 1, 5, 30, 300}
	// From a small status to the largest that can be stored, in bytes.
	sizeBuckets = []float64{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20, 3 << 19}
)
