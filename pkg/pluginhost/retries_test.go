package pluginhost

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A fault that passes costs no question its answer.
func TestAskedAgain(t *testing.T) {
	for _, behaviour := range []string{"first error", "first sleep 800ms", "first code 205", "first crash"} {
		t.Run(behaviour, func(t *testing.T) {
			c, p := config("c", "rpc"), config("p", "rpc")
			p.Kind = plugin.KindCompletionPolicy
			c.Timeout, p.Timeout = 500*time.Millisecond, 500*time.Millisecond
			directory := t.TempDir() // where processes note their questions, because some of them end
			c.Env["NOTES"], p.Env["NOTES"] = directory, directory
			w := newWorld(t, c, p)
			w.ready("c")
			w.ready("p")
			if v, err := w.one("c", pod(0, behaviour)); err != nil || v.GetCode() != 42 {
				t.Errorf("verdict: %v, %v", v, err)
			}
			a, _, err := w.Decide(context.Background(), "p", &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Name: behaviour}, Digest: "d"})
			if err != nil || a.GetDecision() != pluginpb.DecideResponse_SUCCEEDED {
				t.Errorf("decision: %v, %v", a, err)
			}
			for _, name := range []string{"c", "p"} {
				if h := w.health(name); h.State != Ready || h.ConsecutiveFaults != 0 || (h.Restarts > 0) != (behaviour == "first crash") {
					t.Errorf("health: %+v", h)
				}
			}
		})
	}
}

// A process that answers no question is restarted before the plugin is skipped, and a process that answers others is not.
func TestRestartedBeforeItIsGivenUp(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 300 * time.Millisecond
	w := newWorld(t, c)
	w.ready("p")
	_, err := w.one("p", pod(0, "hang"))
	wantFault(t, err, Timeout, "no answer within 300ms")
	if h := w.health("p"); h.Restarts != 1 {
		t.Errorf("restarts: %+v", h)
	}
	// A repetition of the question, as when it is waited for, does not restart the process each time.
	_, err = w.one("p", pod(0, "hang"))
	wantFault(t, err, Timeout, "no answer within 300ms")
	if h := w.health("p"); h.Restarts != 1 {
		t.Errorf("restarts: %+v", h)
	}
	s := w.slot("p")
	s.mu.Lock()
	s.restarted = time.Time{}
	s.mu.Unlock()

	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				if _, err := w.one("p", pod(n, "")); err != nil {
					t.Error(err)
				}
			}
		}
	})
	_, err = w.one("p", pod(0, "hang"))
	close(stop)
	others.Wait()
	wantFault(t, err, Timeout, "no answer within 300ms")
	if h := w.health("p"); h.Restarts != 1 {
		t.Errorf("restarts: %+v", h)
	}
}
