package controller

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// Events during an outage are seen soon after it, however long it was. A reflector's own sixth attempt would follow after 25
// seconds, and a later one after up to a minute.
func TestWatchesComeBackSoon(t *testing.T) {
	t.Parallel()
	w, o := newWorld(t), &outage{}
	o.of(w.config)
	w.start()
	w.running("a")
	o.begin()
	w.EndPod("a-w-0", 0)
	w.eventually("the watch of Pods has tried six times", func() bool { return o.count() >= 6 })
	o.end()
	w.reaches("a", v1.Completed)
}

// A controller that is told to stop in an outage does not wait for its end.
func TestStopInAnOutage(t *testing.T) {
	t.Parallel()
	w, o := newWorld(t), &outage{}
	o.of(w.config)
	w.start()
	w.running("a")
	o.begin()
	w.eventually("the watch of Pods has tried", func() bool { return o.count() >= 1 })
	began := time.Now()
	w.stop()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	o.end()
}

// outage makes the API server vanish for a while: connections break, and nobody listens.
type outage struct {
	mu    sync.Mutex
	on    bool
	open  []net.Conn
	tries int // attempts to watch Pods
}

const nobody = "127.0.0.1:1"

func (o *outage) of(c *rest.Config) {
	c.Dial = o.dial
	c.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			o.note(r)
			return next.RoundTrip(r)
		})
	})
}

func (o *outage) note(r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.on && strings.HasSuffix(r.URL.Path, "/pods") && r.URL.Query().Get("watch") == "true" {
		o.tries++
	}
}

func (o *outage) dial(ctx context.Context, network, address string) (net.Conn, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.on {
		return apiserver.Dial(ctx, network, nobody)
	}
	c, err := apiserver.Dial(ctx, network, address)
	if err == nil {
		o.open = append(o.open, c)
	}
	return c, err
}

func (o *outage) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.on = true
	for _, c := range o.open {
		c.Close()
	}
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.on = false
}

func (o *outage) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tries
}
