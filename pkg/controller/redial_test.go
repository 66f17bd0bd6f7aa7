package controller

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// What has happened in an outage is seen soon after it, however long it was. A reflector's own sixth attempt would come
// after 25 seconds, and a later one after up to a minute.
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
	tries int // of the watch of Pods
}

const nobody = "127.0.0.1:1"

func (o *outage) of(c *rest.Config) {
	c.Dial = o.dial
	c.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
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
		return Dial(ctx, network, nobody)
	}
	c, err := Dial(ctx, network, address)
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

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

var errRefused = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}

// An attempt follows the other soon all the time. It is given up when the request is, and after a while.
func TestRedial(t *testing.T) {
	for name, c := range map[string]struct {
		outage, within, most time.Duration // from the beginning
		want                 error
	}{
		"reached":  {100 * time.Second, time.Hour, 100*time.Second + redialMost, nil},
		"given up": {time.Hour, 10*time.Second + 1, 10*time.Second + 1, errRefused},
		"too long": {time.Hour, time.Hour, redialFor + redialMost, errRefused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				server := transport(func(*http.Request) (*http.Response, error) {
					if time.Since(begin) < c.outage {
						return nil, errRefused
					}
					return &http.Response{}, nil
				})
				ctx, cancel := context.WithTimeout(t.Context(), c.within)
				defer cancel()
				r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://server", nil)
				_, err := redialer{server}.RoundTrip(r)
				took := time.Since(begin)
				if !errors.Is(err, c.want) || took > c.most || took < min(c.outage, c.within, redialFor) {
					t.Errorf("%v after %s", err, took)
				}
			})
		})
	}
}

// What may have been sent is left to client-go.
func TestRedialsNothingElse(t *testing.T) {
	broken := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for method, fault := range map[string]error{http.MethodGet: broken, http.MethodPost: errRefused} {
		n := 0
		server := transport(func(*http.Request) (*http.Response, error) {
			n++
			return nil, fault
		})
		r, _ := http.NewRequest(method, "http://server", nil)
		if method == http.MethodPost {
			r.Body = http.NoBody
		}
		if _, err := (redialer{server}).RoundTrip(r); err != fault || n != 1 {
			t.Errorf("%s: %v after %d attempts", method, err, n)
		}
	}
}
