package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// recorded takes an answer of a type.
func recorded(contentType string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", contentType)
	return w
}

func startHostileProxy(t *testing.T, server http.HandlerFunc) *hostileProxy {
	t.Helper()
	to := httptest.NewServer(server)
	t.Cleanup(to.Close)
	p, err := startProxy(&rest.Config{Host: to.URL}, 1, newFigures())
	require.NoError(t, err)
	t.Cleanup(p.Stop)
	p.hostile.Store(true)
	return p
}

// Events are passed on in order and whole, in whatever pieces they arrive, and some of them twice in a row.
func TestEventsAreDoubled(t *testing.T) {
	p := startHostileProxy(t, func(http.ResponseWriter, *http.Request) {})
	gone, cancel := context.WithCancel(t.Context())
	cancel() // so that late ones are not waited for
	for contentType, frame := range map[string]func(i int) string{
		"application/json": func(i int) string { return fmt.Sprintf("{%d}\n", i) },
		"application/vnd.kubernetes.protobuf;stream=watch": func(i int) string {
			text := fmt.Sprintf("k8s\n%d", i)
			return "\x00\x00\x00" + string(rune(len(text))) + text
		},
	} {
		t.Run(contentType, func(t *testing.T) {
			got := recorded(contentType)
			e := &events{ResponseWriter: got, proxy: p, context: gone}
			var all strings.Builder
			const n = 300
			for i := range n {
				all.WriteString(frame(i))
			}
			for text := all.String(); text != ""; {
				size := min(len(text), 1+p.number(20))
				if _, err := io.WriteString(e, text[:size]); err != nil {
					t.Fatal(err)
				}
				text = text[size:]
			}
			rest, doubled := got.Body.String(), 0
			for i := range n {
				var first, second bool
				rest, first = strings.CutPrefix(rest, frame(i))
				rest, second = strings.CutPrefix(rest, frame(i))
				if second {
					doubled++
				}
				if !first {
					t.Fatalf("event %d is missing", i)
				}
			}
			if rest != "" || doubled < n/20 || doubled > n/5 {
				t.Errorf("%d of %d events were doubled, and there is more: %q", doubled, n, rest)
			}
		})
	}
}

// Watches begin, or do not, in all the ways there are.
func TestWatchesThatDoNotBegin(t *testing.T) {
	p := startHostileProxy(t, func(http.ResponseWriter, *http.Request) {})
	for query, want := range map[string][]int{
		"watch=true&sendInitialEvents=true": {200, 422},
		"watch=true&resourceVersion=5":      {200, 410},
	} {
		seen := map[int]int{}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 200 {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(gone, http.MethodGet, "/api/v1/pods?"+query, nil)
			p.watch(w, r, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			seen[w.Code]++
		}
		for _, code := range want {
			if seen[code] == 0 || len(seen) != len(want) {
				t.Errorf("%s: got %v, want %v", query, seen, want)
			}
		}
	}
}
