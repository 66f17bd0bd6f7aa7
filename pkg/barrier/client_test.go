package barrier

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A server that takes a request and never answers it does not hold a barrier up for as long as a watch may last.
func TestWatchThatDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context()) // as http.Transport does
		})
		c := &client{http: &http.Client{Transport: silent}, collection: &url.URL{Scheme: "http", Host: "server"}}
		start := time.Now()
		err := c.watch(t.Context(), "status.gate=x", watchMost, func(event) error { return nil })
		if took := time.Since(start); !errors.Is(err, errNotBegun) || took != requestTime {
			t.Errorf("%v after %s", err, took)
		}
	})
}
