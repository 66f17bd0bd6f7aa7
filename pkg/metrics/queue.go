package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
)

// queueMetrics are the metrics of the queue of Frameworks. There is one queue, so its name is not a label.
type queueMetrics struct {
	depth, unfinished, longest prometheus.Gauge
	adds                       prometheus.Counter
	waits, work                prometheus.Histogram
}

func newQueueMetrics(r *prometheus.Registry) queueMetrics {
	return queueMetrics{
		depth: gauge(r, "workqueue_depth", "Frameworks that wait for a round."),
		unfinished: gauge(r, "workqueue_unfinished_work_seconds",
			"Time that the rounds in progress have taken so far, in total."),
		longest: gauge(r, "workqueue_longest_running_processor_seconds",
			"Time that the longest round in progress has taken so far."),
		adds: counter(r, "workqueue_adds_total", "Additions of Frameworks to the queue of rounds."),
		waits: histogram(r, "workqueue_queue_duration_seconds",
			"Time that Frameworks waited for a round.", roundBuckets),
		work: histogram(r, "workqueue_work_duration_seconds", "Duration of rounds.", roundBuckets),
	}
}

// Queue returns the metrics provider for the queue of Frameworks.
func (s *Set) Queue() workqueue.MetricsProvider { return s.queue }

func (q queueMetrics) NewDepthMetric(string) workqueue.GaugeMetric            { return q.depth }
func (q queueMetrics) NewAddsMetric(string) workqueue.CounterMetric           { return q.adds }
func (q queueMetrics) NewLatencyMetric(string) workqueue.HistogramMetric      { return q.waits }
func (q queueMetrics) NewWorkDurationMetric(string) workqueue.HistogramMetric { return q.work }

func (q queueMetrics) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return q.unfinished
}

func (q queueMetrics) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return q.longest
}

// NewRetriesMetric would count everything that is scheduled for later, which is mostly no retry. Retried rounds are in
// round_duration_seconds.
func (q queueMetrics) NewRetriesMetric(string) workqueue.CounterMetric { return uncounted{} }

type uncounted struct{}

func (uncounted) Inc() {}
