package monitoring

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// trouble is the treatment of requests on their way to the API server; none, at first.
type trouble struct {
	now atomic.Pointer[func(w http.ResponseWriter, r *http.Request) (answered bool)]

	mu    sync.Mutex
	under map[context.Context]context.CancelFunc // requests that are under way, such as watches
}

// around applies the current trouble to each request.
func (t *trouble) around(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meet := t.now.Load(); meet != nil && (*meet)(w, r) {
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer t.ended(ctx, cancel)
		t.began(ctx, cancel)
		forward.ServeHTTP(w, r.WithContext(ctx))
	})
}

func (t *trouble) began(ctx context.Context, cancel context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.under == nil {
		t.under = map[context.Context]context.CancelFunc{}
	}
	t.under[ctx] = cancel
}

func (t *trouble) ended(ctx context.Context, cancel context.CancelFunc) {
	cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.under, ctx)
}

func (t *trouble) ends() { t.now.Store(nil) }

// fails answers each request with an error, and ends the requests under way.
func (t *trouble) fails() {
	defer t.breakAll()
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

// isSlow makes each request take that long.
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

func (t *trouble) breakAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, cancel := range t.under {
		cancel()
	}
}
