package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
)

// queueMetrics are those of the queue of Frameworks. There is one queue, so its name is no label.
type queueMetrics struct {
	depth, unfinished, longest prometheus.Gauge
	adds                       prometheus.Counter
	waits, work                prometheus.Histogram
}

func newQueueMetrics(r *prometheus.Registry) queueMetrics {
	return queueMetrics{
		depth: gauge(r, "workqueue_depth", "Frameworks that wait for a round."),
		unfinished: gauge(r, "workqueue_unfinished_work_seconds",
			"How long the rounds under way have taken so far, together."),
		longest: gauge(r, "workqueue_longest_running_processor_seconds",
			"How long the longest round under way has taken so far."),
		adds: counter(r, "workqueue_adds_total", "How often a Framework came to wait for a round."),
		waits: histogram(r, "workqueue_queue_duration_seconds",
			"How long Frameworks have waited for a round.", roundBuckets),
		work: histogram(r, "workqueue_work_duration_seconds", "How long rounds have taken.", roundBuckets),
	}
}

// Queue is what the queue of Frameworks tells its metrics to.
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

// NewRetriesMetric is told of whatever is to be looked at later, which most often is no retry. The rounds that are tried
// again are in round_duration_seconds.
func (q queueMetrics) NewRetriesMetric(string) workqueue.CounterMetric { return uncounted{} }

type uncounted struct{}

func (uncounted) Inc() {}
