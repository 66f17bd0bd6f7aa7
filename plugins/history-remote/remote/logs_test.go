package remote

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// collect asks as the controller does.
func (w *world) collect(pod string) error {
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Second)
	defer cancel()
	return w.CollectLogs(ctx, &pluginpb.CollectLogsRequest{PodName: pod})
}

func withLogs(p map[string]any) { p["logs"] = true }

// The parameter decides whether the sink collects logs.
func TestCollectsLogs(t *testing.T) {
	if p := New(); p.CollectsLogs() {
		t.Error("it collects logs before it is configured")
	}
	if newWorld(t, false).collectsLogs() || !newWorld(t, false, withLogs).collectsLogs() {
		t.Error("the parameter has no effect")
	}
}

func TestCollectLogs(t *testing.T) {
	w := newWorld(t, true, withLogs)
	for _, pod := range []string{"a", "b", "a"} {
		if err := w.collect(pod); err != nil {
			t.Error(err)
		}
	}
	if got := w.server.Logs(); !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("the server has %q", got)
	}
}

// An error of the server is returned at once, and does not count for records. The spool keeps no logs.
func TestLogsThatCannotBeCollected(t *testing.T) {
	w := newWorld(t, true, withLogs)
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusInternalServerError, http.StatusForbidden, http.StatusBadRequest, http.StatusFound} {
		w.server.Answer(status)
		began := time.Now()
		if err := w.collect("a"); err == nil || !strings.Contains(err.Error(), http.StatusText(status)) || time.Since(began) > time.Second {
			t.Errorf("%d: %v after %s", status, err, time.Since(began))
		}
	}
	w.server.Behave(nil)
	w.server.Down()
	if err := w.collect("a"); err == nil {
		t.Error("collected without a server")
	}
	w.server.Up()
	if w.away.Load() || !w.spool.Empty() {
		t.Error("records are affected")
	}
	w.mustStore(records(0, 1))
}

// A server that hangs costs less than the deadline, so that the error names the cause.
func TestLogsOfAServerThatHangs(t *testing.T) {
	w := newWorld(t, false, withLogs)
	w.server.Behave(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	began := time.Now()
	if err := w.collect("a"); err == nil || !strings.Contains(err.Error(), "asking the server") || time.Since(began) > 1950*time.Millisecond {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

// A server that keeps no logs is not asked about any for a while, and that is no error.
func TestServerWithoutLogs(t *testing.T) {
	w := newWorld(t, false, withLogs)
	w.server.Answer(http.StatusNotFound)
	for range 3 {
		if err := w.collect("a"); err != nil {
			t.Error(err)
		}
	}
	if n := w.server.Requests(); n != 1 || strings.Count(w.logged(), "keeps no logs") != 1 {
		t.Errorf("%d requests; logged:\n%s", n, w.logged())
	}
}

func TestPauseWithoutLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l logs
		for range 2 {
			l.note(true, time.Now())
			time.Sleep(pauseWithoutLogs - time.Second)
			if !l.pause(time.Now()) {
				t.Error("asked too early")
			}
			time.Sleep(time.Second)
			if l.pause(time.Now()) {
				t.Error("not asked again")
			}
		}
		if l.note(false, time.Now()); l.pause(time.Now()) {
			t.Error("paused although the server keeps logs")
		}
	})
}
