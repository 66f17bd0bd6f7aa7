package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// Each trouble reaches the client in its own form, and the server only if it should.
func TestTroubles(t *testing.T) {
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		io.WriteString(w, "done")
	}))
	defer server.Close()
	tests := map[string]struct {
		reached int32
		code    int // 0 for none
	}{
		"409": {0, 409}, "429": {0, 429}, "500": {0, 500}, "503": {0, 503}, "not sent": {0, 0},
		"done, but connection lost": {1, 0}, "done, but 504": {1, 504}, "slow": {1, 200}, "slow answer": {1, 200},
	}
	saved := troubles
	defer func() { troubles = saved }()
	for _, trouble := range saved {
		t.Run(trouble.name, func(t *testing.T) {
			trouble.often = 1000
			troubles = append(troubles[:0:0], trouble)
			p, err := startProxy(&rest.Config{Host: server.URL}, 1, newFigures())
			require.NoError(t, err)
			defer p.Stop()
			p.hostile.Store(true)
			reached.Store(0)
			code := 0
			if response, err := http.Post(p.URL, "text/plain", strings.NewReader("x")); err == nil {
				code = response.StatusCode
				response.Body.Close()
			}
			want, known := tests[trouble.name]
			if !known || code != want.code || reached.Load() != want.reached {
				t.Errorf("got code %d, reached %d; want %+v", code, reached.Load(), want)
			}
			if n := p.figures.get("requests: " + trouble.name); n != 1 {
				t.Errorf("counted %d", n)
			}
		})
	}
}

// A watch passes on events at once, and is cut off; in calm times it is not.
func TestWatchIsCutOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "event")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	p, err := startProxy(&rest.Config{Host: server.URL}, 3, newFigures())
	require.NoError(t, err)
	defer p.Stop()
	p.hostile.Store(true)
	response, err := http.Get(p.URL + "?watch=true")
	require.NoError(t, err)
	defer response.Body.Close()
	ended := make(chan string, 1)
	go func() {
		text, err := io.ReadAll(response.Body)
		if err == nil {
			text = append(text, " and a proper end"...)
		}
		ended <- string(text)
	}()
	select {
	case got := <-ended:
		if got != "event" {
			t.Errorf("got %q", got)
		}
		if n := p.figures.get("watches: cut off"); n != 1 {
			t.Errorf("counted %d", n)
		}
	case <-time.After(20 * time.Second):
		t.Error("not cut off")
	}
}
