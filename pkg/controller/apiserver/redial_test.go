package apiserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

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
				server := apitest.RoundTripper(func(*http.Request) (*http.Response, error) {
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

// Requests that may have been sent are left to client-go.
func TestRedialsNothingElse(t *testing.T) {
	broken := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for method, fault := range map[string]error{http.MethodGet: broken, http.MethodPost: errRefused} {
		n := 0
		server := apitest.RoundTripper(func(*http.Request) (*http.Response, error) {
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
