package main

import (
	"bytes"
	"context"
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

	"k8s.io/client-go/rest"
)

// proxy stands between the controller and the API server. While it is hostile, it does to some requests what
// networks and servers in trouble do.
type proxy struct {
	url     string // that the controller connects to, without TLS
	server  *http.Server
	hostile atomic.Bool
	figures *figures

	lists lists

	mu     sync.Mutex
	random *rand.Rand
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
		r, done := bounded(r)
		defer done()
		switch {
		case !p.hostile.Load():
			forward.ServeHTTP(w, r)
		case r.URL.Query().Get("watch") != "":
			p.watch(w, r, forward)
		case mayBeStale(r):
			p.maybe(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.list(w, r, forward) }))
		default:
			p.maybe(w, r, forward)
		}
	})
}

// bounded lets a request end when it has told the API server that it ends: one whose controller is stopped must not
// arrive when another controller leads. A lease is no fence, and how late a network is bounds what it is good for.
func bounded(r *http.Request) (*http.Request, context.CancelFunc) {
	within, err := time.ParseDuration(r.URL.Query().Get("timeout"))
	if err != nil {
		return r, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), within)
	return r.WithContext(ctx), cancel
}

// takeBody reads all of the body. Only then the server finds out when the client is killed, and ends the request's context.
func takeBody(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil
}

func (p *proxy) number(below int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(below)
}
