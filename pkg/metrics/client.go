package metrics

import (
	"context"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	clientmetrics "k8s.io/client-go/tools/metrics"
)

// clientMetrics are the metrics of the connections to the API server.
type clientMetrics struct {
	requests, retries *prometheus.CounterVec
	durations, limits *prometheus.HistogramVec
}

func newClientMetrics(r *prometheus.Registry) clientMetrics {
	return clientMetrics{
		requests: counters(r, "api_requests_total",
			"Requests to the API server. Each try counts. Without an answer, the code is <error>.", "method", "code"),
		retries: counters(r, "api_request_retries_total",
			"Requests that the client library repeated by itself.", "method", "code"),
		durations: histograms(r, "api_request_duration_seconds",
			"Duration of requests to the API server, repetitions included. Watches do not count.", requestBuckets, "method"),
		limits: histograms(r, "api_rate_limit_duration_seconds",
			"Time that requests waited because of kubeClientQps.", requestBuckets, "method"),
	}
}

// FollowClients counts the requests of all clients of the process. Only the first call in a process has an effect: client-go
// supports only one receiver.
func (s *Set) FollowClients() {
	clientmetrics.Register(clientmetrics.RegisterOpts{
		RequestLatency:     latency{s.client.durations},
		RateLimiterLatency: latency{s.client.limits},
		RequestResult:      results{s.client.requests},
		RequestRetry:       retries{s.client.retries},
	})
}

// The following types drop the host and the address: there is only one host, and there are as many addresses as objects.

type latency struct{ to *prometheus.HistogramVec }

func (l latency) Observe(_ context.Context, method string, _ url.URL, took time.Duration) {
	l.to.WithLabelValues(method).Observe(took.Seconds())
}

type results struct{ to *prometheus.CounterVec }

func (r results) Increment(_ context.Context, code, method, _ string) {
	r.to.WithLabelValues(method, code).Inc()
}

type retries struct{ to *prometheus.CounterVec }

func (r retries) IncrementRetry(_ context.Context, code, method, _ string) {
	r.to.WithLabelValues(method, code).Inc()
}
