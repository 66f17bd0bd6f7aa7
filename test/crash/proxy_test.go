package crash

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// side of a write.
type side string

const (
	before side = "before"
	after  side = "after"
)

// point is where a controller is killed: at a side of its write of that number, from 0.
type point struct {
	write int
	side  side
}

// killer stands between the controllers of a play, one after the other, and the API server.
type killer struct {
	*proxy.Server
	namespace string
	forward   http.Handler

	mu        sync.Mutex
	at        *point    // where to kill the first controller; nil: not at all
	kill      func()    // kills the first controller
	lives     int       // controllers that were killed
	writes    []string  // of all controllers
	lastWrite time.Time // when it was answered
	crashed   chan struct{}
}

// lifeKey is a value in the context of a connection: the number of lives before it.
type lifeKey struct{}

func startKiller(namespace string, at *point) (p *killer, err error) {
	p = &killer{namespace: namespace, at: at, crashed: make(chan struct{})}
	p.Server, err = proxy.Serve(kube.Config, func(forward http.Handler) http.Handler {
		p.forward = forward
		return p
	}, p.mark)
	return p, err
}

func (p *killer) mark(ctx context.Context) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	return context.WithValue(ctx, lifeKey{}, p.lives)
}

func (p *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.confine(r)
	crash := p.count(r)
	switch {
	case crash == "":
		p.forward.ServeHTTP(w, r)
		p.answered(r)
		return
	case crash == after:
		p.forward.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
	}
	p.kill()
	close(p.crashed)
	panic(http.ErrAbortHandler) // and no client is left to notice
}

// confine shows a controller one namespace only, when it asks for all.
func (p *killer) confine(r *http.Request) {
	for _, resource := range []string{"/apis/frameworkcontroller.microsoft.com/v1/frameworks", "/api/v1/pods", "/api/v1/configmaps"} {
		if r.Method == http.MethodGet && r.URL.Path == resource {
			i := strings.LastIndex(resource, "/")
			r.URL.Path = resource[:i] + "/namespaces/" + p.namespace + resource[i:]
		}
	}
}

// count numbers a write, and returns at which side of it the controller should be killed, if at all. Requests of a killed controller are
// dropped.
func (p *killer) count(r *http.Request) side {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Context().Value(lifeKey{}) != p.lives {
		panic(http.ErrAbortHandler)
	}
	if !isWrite(r) {
		return ""
	}
	n := len(p.writes)
	p.writes = append(p.writes, r.Method+" "+r.URL.Path)
	p.lastWrite = time.Now()
	if p.at == nil || p.lives > 0 || n != p.at.write {
		return ""
	}
	p.lives++
	return p.at.side
}

func (p *killer) answered(r *http.Request) {
	if !isWrite(r) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastWrite = time.Now()
}

// isWrite: the CRD is applied at every start, and is not in the namespace.
func isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && strings.Contains(r.URL.Path, "/namespaces/") && !strings.Contains(r.URL.Path, "/events")
}

// done are the writes so far.
func (p *killer) done() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes[:len(p.writes):len(p.writes)]
}

// quiet reports whether nothing was written for longer than the controller puts anything off.
func (p *killer) quiet() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.writes) > 0 && time.Since(p.lastWrite) > time.Second
}
