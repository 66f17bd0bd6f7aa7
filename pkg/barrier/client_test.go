package barrier

import (
	"context"
	"errors"
	"io"
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

// A watch whose server hangs after the first bytes is given up, but not one without news.
func TestWatchThatFallsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signs := 5
		hangs := transport(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("allowWatchBookmarks") != "true" {
				t.Errorf("asks for no bookmarks: %s", r.URL)
			}
			body := &minutely{r.Context(), signs}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body)}, nil
		})
		c := &client{http: &http.Client{Transport: hangs}, collection: &url.URL{Scheme: "http", Host: "server"}}
		start, events := time.Now(), 0
		err := c.watch(t.Context(), "status.gate=x", time.Hour, func(event) error {
			events++
			return nil
		})
		want := time.Duration(signs)*time.Minute + longestSilence
		if took := time.Since(start); !errors.Is(err, errSilent) || took != want || events != signs {
			t.Errorf("%v after %s and %d events", err, took, events)
		}
	})
}

// minutely is a stream with `left` bookmarks, one a minute, and then silence.
type minutely struct {
	ctx  context.Context
	left int
}

func (m *minutely) Read(b []byte) (int, error) {
	if m.left--; m.left >= 0 {
		time.Sleep(time.Minute)
		return copy(b, `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}`+"\n"), nil
	}
	<-m.ctx.Done()
	return 0, context.Cause(m.ctx)
}
