package localpage

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// stream reads LiveChangesPath until its client disconnects after a time, and returns the names of the events.
func stream(t *testing.T, h http.Handler, namespace string, after time.Duration) []string {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), after)
	defer leave()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+LiveChangesPath+"?namespace="+namespace, http.NoBody))
	require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	var names []string
	for line := range strings.Lines(w.Body.String()) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// The page gets an event at once, and at most one in a second; after a watch has ended, another one begins. The watch ends with the page.
func TestLiveChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watches := 0
		h := Handler(http.NotFoundHandler(), running{watch: func(ctx context.Context, namespace string, changed func()) error {
			require.Equal(t, "a", namespace)
			watches++
			if watches == 1 {
				for range 100 {
					changed()
				}
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}})
		require.Equal(t, []string{"changed", "changed", "changed"}, stream(t, h, "a", time.Minute))
		require.Equal(t, 2, watches)
	})
}

// A user who may not watch gets an event with the reason.
func TestLiveChangesNeedPermission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := Handler(http.NotFoundHandler(), running{watch: func(context.Context, string, func()) error { return forbidden() }})
		require.Equal(t, []string{"changed", "refused"}, stream(t, h, "a", time.Minute))
	})
}

// There are not more streams than pages that one browser shows.
func TestLiveChangesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := Handler(http.NotFoundHandler(), running{watch: func(ctx context.Context, _ string, _ func()) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		for range mostStreams {
			go stream(t, h, "", time.Minute)
		}
		synctest.Wait()
		require.Equal(t, http.StatusTooManyRequests, ask(h, "GET", "http://"+host+LiveChangesPath).StatusCode)
		time.Sleep(2 * time.Minute)
		require.Equal(t, []string{"changed"}, stream(t, h, "", time.Second/2))
	})
}
