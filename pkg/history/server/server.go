package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/page"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

const (
	// queryTimeout limits one query.
	queryTimeout = 30 * time.Second
	// textTimeout limits the sending of a log, also to a slow client.
	textTimeout = 10 * time.Minute
	// A sink that gets no place among the running requests for this long is asked to retry.
	placeTimeout = 5 * time.Second
	// The requests of sinks that are decoded or stored at the same time. Each takes some times its size.
	mostIngests = 8
)

// Options of a server.
type Options struct {
	Store *store.Store
	// Collector reads logs of Pods; nil if the server keeps none.
	Collector Collector
	// Access decides who may read and write; nil lets everybody do both.
	Access *Access
	// UserLabel is the label of Frameworks with the name of their user; empty if they have none.
	UserLabel string
	Log       hclog.Logger
}

// Server answers requests.
type Server struct {
	store     *store.Store
	collector Collector
	access    *Access
	userLabel string
	log       hclog.Logger
	metrics   *Metrics
	places    chan struct{}
	streams   *streams
	pace      pace
	now       func() time.Time
	refused   atomic.Int64 // records
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{store: o.Store, collector: o.Collector, access: o.Access, userLabel: o.UserLabel, log: o.Log, places: make(chan struct{}, mostIngests),
		streams: newStreams(mostStreams, mostStreamsOfUser), pace: usualPace, now: time.Now}
	s.metrics = newMetrics(o.Store, &s.refused, s.streams)
	return s
}

// Metrics returns the metrics of the server.
func (s *Server) Metrics() *Metrics { return s.metrics }

// Handler answers all paths of the API, and serves the page beside them.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		h := s.handler(r)
		if r.stream == nil { // the duration of a stream says nothing about queries
			h = s.metrics.measured(r.path, h)
		}
		mux.Handle(r.method+" "+r.path, h)
	}
	mux.Handle("GET /healthz", health.Handler("healthz", nil))
	mux.Handle("GET /readyz", health.Handler("readyz", []health.Check{{Name: "database", Look: s.databaseReady}}))
	unknown := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, problem(http.StatusNotFound, "no such path or method: GET /api/v1/openapi.json lists them"))
	})
	mux.Handle("GET /", page.Handler(unknown))
	mux.Handle("/", unknown)
	return mux
}

func (s *Server) databaseReady() (note string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return "", s.store.Ready(ctx)
}

// handler checks the parameters of a route, and writes its answer.
func (s *Server) handler(r route) http.Handler {
	if r.stream != nil {
		return s.streamHandler(r)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		timeout := queryTimeout
		if r.text != nil {
			timeout = textTimeout
		}
		ctx, cancel := context.WithTimeout(q.Context(), timeout)
		defer cancel()
		q = q.WithContext(ctx)
		if r.raw != nil {
			if err := r.raw(w, q); err != nil {
				s.fail(w, q, err)
			}
			return
		}
		p, err := parse(q, r.params)
		if err != nil {
			s.fail(w, q, err)
			return
		}
		if r.text != nil {
			if err := r.text(w, q, p); err != nil {
				s.fail(w, q, err)
			}
			return
		}
		answer, err := r.answer(q, p)
		if err != nil {
			s.fail(w, q, err)
			return
		}
		s.reply(w, q, answer)
	})
}

// streamHandler is the same for a route that has no time limit.
func (s *Server) streamHandler(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		p, err := parse(q, r.params)
		if err == nil {
			err = r.stream(w, q, p)
		}
		if err != nil {
			s.fail(w, q, err)
		}
	})
}
