package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// trouble is a fault and how often it happens, in a thousand requests that it applies to.
type trouble struct {
	name  string
	often int
	do    func(p *hostileProxy, w http.ResponseWriter, r *http.Request, forward http.Handler)
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
	{"done, but connection lost", 25, (*hostileProxy).loseAnswer, true},
	{"done, but 504", 15, (*hostileProxy).lateAnswer, true},
	{"slow", 40, (*hostileProxy).slow, false},
	{"slow answer", 20, (*hostileProxy).slowAnswer, false},
}

// maybe lets one trouble happen, or none.
func (p *hostileProxy) maybe(w http.ResponseWriter, r *http.Request, forward http.Handler) {
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

// refuse answers instead of the API server.
func refuse(code int32, reason metav1.StatusReason) func(*hostileProxy, http.ResponseWriter, *http.Request, http.Handler) {
	return func(_ *hostileProxy, w http.ResponseWriter, _ *http.Request, _ http.Handler) {
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
func hangUp(*hostileProxy, http.ResponseWriter, *http.Request, http.Handler) {
	panic(http.ErrAbortHandler)
}

// loseAnswer breaks the connection when the request has taken effect.
func (p *hostileProxy) loseAnswer(_ http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(&unread{http.Header{}}, r)
	panic(http.ErrAbortHandler)
}

// lateAnswer reports a timeout although the request has taken effect.
func (p *hostileProxy) lateAnswer(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(&unread{http.Header{}}, r)
	answer(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "chaos says that this took too long")
}

// slow holds the request back. If the controller is killed meanwhile, it is never sent: otherwise it might arrive when it is no longer
// wanted, which a lease should prevent.
func (p *hostileProxy) slow(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if pause(r.Context(), p.delay()) == nil {
		forward.ServeHTTP(w, r)
	}
}

func (p *hostileProxy) slowAnswer(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(&delayed{ResponseWriter: w, context: r.Context(), delay: p.delay()}, r)
}

func (p *hostileProxy) delay() time.Duration {
	return time.Duration(10+p.number(1500)) * time.Millisecond
}

// unread discards an answer.
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
