package server

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

// Metrics are for Prometheus. Their labels have no values that users choose.
type Metrics struct {
	registry *prometheus.Registry
	seconds  *prometheus.HistogramVec
}

func newMetrics(s *store.Store, refused *atomic.Int64, open *streams) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "frameworkcontroller_history_request_duration_seconds", Help: "Duration of requests by path and status.",
		Buckets: []float64{.005, .02, .05, .1, .2, .5, 1, 5, 30},
	}, []string{"path", "status"})}
	m.registry.MustRegister(m.seconds, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "frameworkcontroller_history_records_stored_total", Help: "Records that were stored.",
		}, func() float64 { return float64(s.Counts().Stored) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "frameworkcontroller_history_records_duplicate_total", Help: "Records that were stored already, or are older than what is stored.",
		}, func() float64 { return float64(s.Counts().Duplicates) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "frameworkcontroller_history_records_refused_total", Help: "Records that the server or its database refuses for good. They are lost.",
		}, func() float64 { return float64(refused.Load() + s.Counts().Refused) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "frameworkcontroller_history_streams", Help: "Streams of changes that are open, by the pages of users.",
		}, func() float64 { return float64(open.count()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "frameworkcontroller_history_database_bytes", Help: "Size of the database in use; 0 if it cannot be read.",
		}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			size, _ := s.Size(ctx)
			return float64(size)
		}))
	return m
}

// Handler answers scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Metrics) measured(path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		m.seconds.WithLabelValues(path, strconv.Itoa(seen.status)).Observe(time.Since(begun).Seconds())
	})
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
