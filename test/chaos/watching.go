package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watch lets a watch begin or not, and passes it on as a bad network and a slow API server would.
func (p *hostileProxy) watch(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	p.figures.count("watches: begun")
	n, initial := p.number(100), r.URL.Query().Get("sendInitialEvents") != ""
	switch {
	case initial && n < 50:
		// As API servers do that cannot begin a watch with the existing objects. The controller has to list then.
		p.figures.count("watches: not with a list")
		answer(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "chaos forbids sendInitialEvents")
	case !initial && n < 8:
		// Changes since its version are never sent as events, and the controller has to list the objects.
		p.figures.count("watches: expired")
		answer(w, http.StatusGone, metav1.StatusReasonExpired, "chaos says that this version is too old")
	case n >= 80 && pause(r.Context(), p.delay()) != nil:
	default:
		p.cutOff(w, r, forward)
	}
}

// cutOff lets a watch begin, and ends it some time later, in the middle of any event.
func (p *hostileProxy) cutOff(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(200+p.number(15000))*time.Millisecond)
	defer cancel()
	defer func() {
		if ctx.Err() != nil && r.Context().Err() == nil {
			p.figures.count("watches: cut off")
		}
	}()
	forward.ServeHTTP(&events{ResponseWriter: w, proxy: p, context: ctx}, r.WithContext(ctx)) // breaks the connection when the context ends
}

// events passes on the answer to a watch, event by event.
type events struct {
	http.ResponseWriter
	proxy   *hostileProxy
	context context.Context
	rest    []byte // the part of an event that has not arrived in full
}

// Write repeats an event now and then, and delays later ones. A client that has lost its connection may get events again; here it does
// without losing it.
func (e *events) Write(b []byte) (int, error) {
	length := framing(e.Header().Get("Content-Type"))
	if length == nil || !e.proxy.hostile.Load() {
		rest := e.rest
		e.rest = nil
		if _, err := e.ResponseWriter.Write(rest); err != nil {
			return 0, err
		}
		return e.ResponseWriter.Write(b)
	}
	e.rest = append(e.rest, b...)
	for n := length(e.rest); n > 0; n = length(e.rest) {
		if err := e.pass(e.rest[:n]); err != nil {
			return 0, err
		}
		e.rest = e.rest[n:]
	}
	return len(b), nil
}

func (e *events) pass(event []byte) error {
	switch n := e.proxy.number(100); {
	case n < 10:
		e.proxy.figures.count("events: doubled")
		if _, err := e.ResponseWriter.Write(event); err != nil {
			return err
		}
	case n < 14:
		e.proxy.figures.count("events: late")
		pause(e.context, e.proxy.delay())
	}
	_, err := e.ResponseWriter.Write(event)
	return err
}

// Unwrap lets the answer be flushed.
func (e *events) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// framing returns a function for the length of the first event in b, 0 if it is incomplete; nil for unknown types.
func framing(contentType string) func(b []byte) int {
	switch {
	case strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf"):
		return func(b []byte) int {
			if len(b) < 4 {
				return 0
			}
			if n := 4 + int(binary.BigEndian.Uint32(b)); n <= len(b) {
				return n
			}
			return 0
		}
	case strings.HasPrefix(contentType, "application/json"):
		return func(b []byte) int { return bytes.IndexByte(b, '\n') + 1 }
	}
	return nil
}
