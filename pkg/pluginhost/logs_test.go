package pluginhost

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// collect does as the name of the Pod says.
func collect(ctx context.Context, q *pluginpb.CollectLogsRequest) error {
	switch q.GetPodName() {
	case "error":
		return errors.New("on purpose")
	case "hang":
		<-ctx.Done()
		time.Sleep(time.Second)
	case "crash":
		os.Exit(2)
	}
	return nil
}

func collector(name string) Config {
	c := config(name, "collector")
	c.Kind, c.Timeout = plugin.KindHistorySink, 500*time.Millisecond
	return c
}

func (w *world) collect(name, pod string) error {
	return w.CollectLogs(w.t.Context(), name, &pluginpb.CollectLogsRequest{PodName: pod})
}

// A sink is asked for logs if it declares that it keeps some. Other plugins are not asked, which is no error.
func TestCollectLogs(t *testing.T) {
	w := newWorld(t, collector("p"), sink("without"), config("classifier", "sdk"))
	for _, name := range []string{"p", "without"} {
		w.ready(name)
		if err := w.collect(name, "good"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]bool{"p": true, "without": false, "classifier": false, "no such": false} {
		if w.CollectsLogs(name) != want {
			t.Errorf("%s collects logs: %t", name, !want)
		}
	}
	wantFault(t, w.collect("classifier", "good"), NotConfigured, "is not configured as a HistorySink")
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.calls) != 1 || w.calls[0].Method != "CollectLogs" {
		t.Errorf("calls: %+v", w.calls)
	}
}

// Until a process has described itself it may collect logs, unless it is not to be expected soon.
func TestCollectsLogsIsUnknown(t *testing.T) {
	slow := collector("slow")
	slow.Env["START"] = "300ms"
	never := config("never", "exit")
	never.Kind = plugin.KindHistorySink
	w := newWorld(t, slow, never)
	if !w.CollectsLogs("slow") {
		t.Error("it may collect logs")
	}
	if err := w.collect("slow", "good"); err != nil && !w.CollectsLogs("slow") {
		t.Errorf("while it starts: %v", err)
	}
	require.Eventually(t, func() bool { return !w.CollectsLogs("never") }, 20*time.Second, 10*time.Millisecond)
	if err := w.collect("never", "good"); err == nil {
		t.Error("collected by nobody")
	}
}

// Logs that cannot be collected are no fault of the plugin: records are stored as before, and no process is restarted for them.
func TestLogsThatCannotBeCollected(t *testing.T) {
	w := newWorld(t, collector("p"))
	w.ready("p")
	for range 2 * circuitFaults {
		wantFault(t, w.collect("p", "error"), Failed, "answered with the error Unknown: on purpose")
	}
	var wait sync.WaitGroup
	for range 2 * maxLogCalls {
		wait.Go(func() {
			if err := w.collect("p", "hang"); err == nil {
				t.Error("collected by a plugin that hangs")
			}
		})
	}
	began := time.Now()
	if stored, err := w.store("p", record(1, "")); err != nil || !stored["key-1"] || time.Since(began) > 400*time.Millisecond {
		t.Errorf("beside calls for logs: %v, %v after %s", stored, err, time.Since(began))
	}
	wait.Wait()
	wantFault(t, w.collect("p", "hang"), Timeout, "has not collected the logs in time")
	if h := w.health("p"); h.State != Ready || h.Restarts != 0 {
		t.Errorf("%+v", h)
	}
	wantFault(t, w.collect("p", "crash"), Crashed, "the process ended with exit status 2")
	w.ready("p")
	if err := w.collect("p", "good"); err != nil {
		t.Errorf("after a restart: %v", err)
	}
}

// A plugin that is replaced answers the calls under way.
func TestReplacedCollectorAnswers(t *testing.T) {
	c := collector("p")
	w := newWorld(t, c)
	w.ready("p")
	done := make(chan error)
	go func() { done <- w.collect("p", "hang") }()
	time.Sleep(100 * time.Millisecond)
	c.Env = map[string]string{childMode: "rpc"}
	w.Reload([]Config{c})
	wantFault(t, <-done, Timeout, "has not collected the logs in time")
	require.Eventually(t, func() bool { return !w.CollectsLogs("p") }, 20*time.Second, 10*time.Millisecond)
}
