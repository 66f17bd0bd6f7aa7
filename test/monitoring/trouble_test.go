package monitoring

import (
	"net/http"
	"sync/atomic"
	"time"
)

// trouble is what happens to requests on their way to the API server; nothing, at first.
type trouble struct {
	now atomic.Pointer[func(w http.ResponseWriter, r *http.Request) (answered bool)]
}

// around has each request meet the trouble of the time.
func (t *trouble) around(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meet := t.now.Load(); meet != nil && (*meet)(w, r) {
			return
		}
		forward.ServeHTTP(w, r)
	})
}

func (t *trouble) ends() { t.now.Store(nil) }

// fails has each request answered with an error.
func (t *trouble) fails() {
	t.set(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return true
	})
}

// hangs leaves each request without an answer.
func (t *trouble) hangs() {
	t.set(func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	})
}

// isSlow has each request take so long.
func (t *trouble) isSlow(takes time.Duration) {
	t.set(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-r.Context().Done():
			return true
		case <-time.After(takes):
			return false
		}
	})
}

func (t *trouble) set(meet func(http.ResponseWriter, *http.Request) bool) { t.now.Store(&meet) }
