package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// proxy stands between the controller and the API server. While it is hostile, it does to some requests what
// networks and servers in trouble do.
type proxy struct {
	url     string // that the controller connects to, without TLS
	server  *http.Server
	hostile atomic.Bool
	figures *figures

	mu     sync.Mutex
	random *rand.Rand
}

// trouble is a fault and how often it happens, in a thousand requests that it applies to.
type trouble struct {
	name  string
	often int
	do    func(p *proxy, w http.ResponseWriter, r *http.Request, forward http.Handler)
	// writesOnly: it does not happen to reads.
	writesOnly bool
}

// troubles of requests that are not watches.
var troubles = []trouble{
	{"409", 12, refuse(http.StatusConflict, metav1.StatusReasonConflict), true},
	{"429", 12, refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests), false},
	{"500", 15, refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError), false},
	{"503", 10, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable), false},
	{"not sent", 10, hangUp, false},
	{"done, but connection lost", 25, (*proxy).loseAnswer, true},
	{"done, but 504", 15, (*proxy).lateAnswer, true},
	{"slow", 40, (*proxy).slow, false},
	{"slow answer", 20, (*proxy).slowAnswer, false},
}

// startProxy listens on loopback.
func startProxy(config *rest.Config, seed uint64, f *figures) (*proxy, error) {
	to, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{url: "http://" + listener.Addr().String(), figures: f, random: rand.New(rand.NewPCG(seed, 2))}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      log.New(discard{}, "", 0),
	}
	p.server = &http.Server{Handler: p.handler(forward), ErrorLog: log.New(discard{}, "", 0), ReadHeaderTimeout: time.Minute}
	go p.server.Serve(listener)
	return p, nil
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func (p *proxy) stop() { p.server.Close() }

func (p *proxy) handler(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.figures.count("requests: all")
		if !takeBody(r) {
			return
		}
		watch := r.URL.Query().Get("watch") != ""
		switch {
		case !p.hostile.Load():
			forward.ServeHTTP(w, r)
		case watch:
			p.figures.count("watches: begun")
			p.cutOff(w, r, forward)
		default:
			p.maybe(w, r, forward)
		}
	})
}

// takeBody reads all of the body. Only then the server finds out when the client is killed, and ends the request's context.
func takeBody(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil
}

// maybe lets one trouble happen, or none.
func (p *proxy) maybe(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	writes := r.Method != http.MethodGet
	n := p.number(1000)
	for _, t := range troubles {
		if t.writesOnly && !writes {
			continue
		}
		if n -= t.often; n < 0 {
			p.figures.count("requests: " + t.name)
			t.do(p, w, r, forward)
			return
		}
	}
	forward.ServeHTTP(w, r)
}

func (p *proxy) number(below int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(below)
}

// refuse answers instead of the API server.
func refuse(code int32, reason metav1.StatusReason) func(*proxy, http.ResponseWriter, *http.Request, http.Handler) {
	return func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		answer(w, code, reason, "chaos refuses this")
	}
}

func answer(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(int(code))
	json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	})
}

// hangUp breaks the connection before the request is sent.
func hangUp(*proxy, http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// loseAnswer breaks the connection when the request has taken effect.
func (p *proxy) loseAnswer(_ http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(&unread{http.Header{}}, r)
	panic(http.ErrAbortHandler)
}

// lateAnswer says that time is over when the request has taken effect.
func (p *proxy) lateAnswer(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(&unread{http.Header{}}, r)
	answer(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "chaos says that this took too long")
}

// slow holds the request back. If the controller is killed meanwhile, it is never sent: otherwise it might arrive
// when it is not wanted any more, which is what a lease is for.
func (p *proxy) slow(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if pause(r.Context(), p.delay()) == nil {
		forward.ServeHTTP(w, r)
	}
}

func (p *proxy) slowAnswer(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(&delayed{ResponseWriter: w, context: r.Context(), delay: p.delay()}, r)
}

func (p *proxy) delay() time.Duration {
	return time.Duration(10+p.number(1500)) * time.Millisecond
}

// cutOff lets a watch begin, and ends it some time later, in the middle of whatever it says.
func (p *proxy) cutOff(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(200+p.number(15000))*time.Millisecond)
	defer cancel()
	defer func() {
		if ctx.Err() != nil && r.Context().Err() == nil {
			p.figures.count("watches: cut off")
		}
	}()
	forward.ServeHTTP(w, r.WithContext(ctx)) // which breaks the connection when the context ends
}

// unread takes an answer that nobody reads.
type unread struct{ header http.Header }

func (u *unread) Header() http.Header         { return u.header }
func (u *unread) Write(b []byte) (int, error) { return len(b), nil }
func (u *unread) WriteHeader(int)             {}

// delayed begins to answer after a while.
type delayed struct {
	http.ResponseWriter
	context context.Context
	delay   time.Duration
}

func (d *delayed) WriteHeader(code int) {
	pause(d.context, d.delay)
	d.ResponseWriter.WriteHeader(code)
}

// Unwrap lets the answer be flushed.
func (d *delayed) Unwrap() http.ResponseWriter { return d.ResponseWriter }
