package pluginhost

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestReload(t *testing.T) {
	a, b, gone := config("a", "rpc"), config("b", "rpc"), config("gone", "rpc")
	a.Env["VERSION"] = "1"
	w := newWorld(t, a, b, gone)
	w.ready("a")
	w.ready("b")
	w.ready("gone")
	old, kept := w.health("a"), w.health("b")

	stop := make(chan struct{})
	var askers sync.WaitGroup
	versions := make([]string, 8)
	for i := range versions {
		askers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_, source, err := w.Classify(context.Background(), "a", []*pluginpb.FailedPod{pod(i*100000+n, "sleep 5ms")})
				if err != nil {
					t.Error(err)
				}
				versions[i] = source.Version
			}
		})
	}
	// Not all that has changed is seen by the process.
	b.Timeout, b.FailurePolicy = 3*time.Second, Wait
	for version := 2; version <= 4; version++ {
		a.Env = map[string]string{childMode: "rpc", "VERSION": strconv.Itoa(version)}
		w.Reload([]Config{b, a})
		w.ready("a")
	}
	// A configuration that cannot be started does not take over.
	broken := a
	broken.Command = "/no/such/file"
	w.Reload([]Config{b, broken})
	w.until("an obstacle", func() bool { return strings.Contains(w.health("a").Replacement, "/no/such/file") })
	if h := w.health("a"); h.State != Ready || h.Version != "4" {
		t.Errorf("health: %+v", h)
	}
	w.Reload([]Config{b, a})
	close(stop)
	askers.Wait()
	for _, v := range versions {
		if v != "4" {
			t.Errorf("version %s has answered last", v)
		}
	}
	h := w.health("a")
	if h.PID == old.PID || h.Restarts != 0 || h.LastFault != nil || h.Replacement != "" {
		t.Errorf("health: %+v", h)
	}
	w.until("the old process is gone", func() bool { return syscall.Kill(old.PID, 0) == syscall.ESRCH })
	if got := w.health("b"); got.PID != kept.PID {
		t.Errorf("a plugin that has not changed: %+v\nwas %+v", got, kept)
	}
	if c, _ := w.Config("b"); c.FailurePolicy != Wait || c.Timeout != 3*time.Second {
		t.Errorf("its configuration: %+v", c)
	}
	if _, err := w.one("gone", pod(0, "")); err == nil {
		t.Error("a removed plugin answers")
	}
	if names := w.Plugins(plugin.KindFailureClassifier); !slices.Equal(names, []string{"b", "a"}) {
		t.Errorf("order %v", names)
	}
}

// changingFile returns a file, and a function that writes another text into it.
func changingFile(t *testing.T) (path string, write func(text string)) {
	path = t.TempDir() + "/script"
	write = func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("one")
	return path, write
}

// The same configuration, but another file on the disk.
func TestReloadOfChangedFile(t *testing.T) {
	script, write := changingFile(t)
	c := config("p", "rpc")
	c.Files = map[string]string{script: ""}
	w := newWorld(t, c)
	w.ready("p")
	pid := w.health("p").PID
	w.Reload([]Config{c})
	w.ready("p")
	if w.health("p").PID != pid {
		t.Error("replaced without a change")
	}
	write("two")
	w.Reload([]Config{c})
	w.ready("p")
	if w.health("p").PID == pid {
		t.Error("not replaced")
	}
}

// A bad configuration does not take over because the plugin happens to be restarted.
func TestReloadDuringRestart(t *testing.T) {
	c := config("p", "rpc")
	w := newWorld(t)
	w.timing.backoffFirst = time.Second
	w.Reload([]Config{c})
	w.ready("p")
	require.NoError(t, syscall.Kill(w.health("p").PID, syscall.SIGKILL))
	w.until("its end", func() bool { return w.health("p").State == Failing })
	broken := c
	broken.Command = "/no/such/file"
	w.Reload([]Config{broken})
	w.until("it is back", func() bool { return w.health("p").State == Ready })
	if v, err := w.one("p", pod(0, "")); err != nil || v == nil {
		t.Errorf("%v, %v", v, err)
	}
	if h := w.health("p"); h.Replacement == "" {
		t.Errorf("health: %+v", h)
	}
}

// A file that changes while the plugin starts is noticed.
func TestReloadDuringStart(t *testing.T) {
	script, write := changingFile(t)
	c := config("p", "rpc")
	c.Env["START"] = "500ms"
	c.Files = map[string]string{script: ""}
	w := newWorld(t, c)
	s := w.slot("p")
	w.until("the start", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.serving.fingerprint != "" })
	first := s.serving
	write("two")
	w.Reload([]Config{c})
	w.until("another one", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.serving != first && s.serving.aliveLocked() })
}
