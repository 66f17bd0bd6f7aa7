package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// hostileProxy stands between the controller and the API server. While it is hostile, it does to some requests what
// networks and servers in trouble do.
type hostileProxy struct {
	*proxy.Server
	hostile atomic.Bool
	figures *figures

	lists lists

	mu     sync.Mutex
	random *rand.Rand
}

func startProxy(config *rest.Config, seed uint64, f *figures) (p *hostileProxy, err error) {
	p = &hostileProxy{figures: f, random: rand.New(rand.NewPCG(seed, 2))}
	p.Server, err = proxy.Serve(config, p.handler, nil)
	return p, err
}

func (p *hostileProxy) handler(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.figures.count("requests: all")
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

// bounded ends a request at the timeout that it announced to the API server: a request of a stopped controller must not arrive when another
// controller leads. A lease is no fence: it protects only as far as the delay of the network is bounded.
func bounded(r *http.Request) (*http.Request, context.CancelFunc) {
	within, err := time.ParseDuration(r.URL.Query().Get("timeout"))
	if err != nil {
		return r, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), within)
	return r.WithContext(ctx), cancel
}

func (p *hostileProxy) number(below int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(below)
}
