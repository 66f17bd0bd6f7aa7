package guard

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// TestGuardFails: each mistake that the guard must find takes a count above its limit.
func TestGuardFails(t *testing.T) {
	for mistaken, c := range map[string]struct {
		found func(t *testing.T) measures
		over  string
	}{
		"status written twice":   {func(t *testing.T) measures { return life(t, writeTwice(), 20, 10) }, "life of 20 x 10: update frameworks/status"},
		"status sent twice":      {func(t *testing.T) measures { return life(t, writeTwice(), 20, 10) }, "life of 20 x 10: bytes of status writes"},
		"Pod read after a write": {func(t *testing.T) measures { return life(t, readCreated(), 1, 200) }, "life of 1 x 200: get pods"},
		"allocation per Task":    {func(t *testing.T) measures { return event(t, allocate(200), 200) }, "event in 1 x 200: allocations"},
		"bytes per Framework":    {func(t *testing.T) measures { return idle(t, keep(t)) }, "idle Framework: bytes of heap"},
		"goroutine each":         {func(t *testing.T) measures { return idle(t, keep(t)) }, "200 idle Frameworks: more goroutines"},
	} {
		t.Run(mistaken, func(t *testing.T) {
			found := c.found(t)
			if !slices.Contains(found.over(limits), c.over) {
				t.Errorf("%q is not above its limit:\n%s", c.over, found.table(limits))
			}
		})
	}
}

// writeTwice sends each status twice.
func writeTwice() mistake {
	return mistake{inRequests: func(next http.RoundTripper) http.RoundTripper {
		return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			if err == nil && writesStatus(r) {
				again := r.Clone(r.Context())
				if again.Body, err = r.GetBody(); err == nil {
					discard(next.RoundTrip(again))
				}
			}
			return answer, err
		})
	}}
}

// readCreated reads something for each Pod that is created.
func readCreated() mistake {
	return mistake{inRequests: func(next http.RoundTripper) http.RoundTripper {
		return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			if creates(r, "pods") {
				read := &http.Request{Method: http.MethodGet, URL: r.URL.JoinPath("any"), Header: r.Header.Clone()}
				discard(next.RoundTrip(read.WithContext(r.Context())))
			}
			return next.RoundTrip(r)
		})
	}}
}

func discard(answer *http.Response, err error) {
	if err == nil {
		_ = answer.Body.Close()
	}
}

// allocate makes n allocations in each round.
func allocate(n int) mistake {
	return mistake{inRounds: func() {
		kept := make([]*int, n)
		for i := range kept {
			kept[i] = new(int)
		}
		escaped = kept
	}}
}

var escaped []*int // keeps the compiler from optimizing the allocations away

// keep has the controller hold as much more for each Framework as a Framework costs, and start a goroutine that never ends.
func keep(t *testing.T) mistake {
	return mistake{inRequests: func(next http.RoundTripper) http.RoundTripper {
		var mu sync.Mutex
		var held [][]byte
		return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			if creates(r, "configmaps") {
				mu.Lock()
				defer mu.Unlock()
				held = append(held, make([]byte, 16<<10))
				go func() { <-t.Context().Done() }()
			}
			return next.RoundTrip(r)
		})
	}}
}
