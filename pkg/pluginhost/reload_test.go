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
	// One that cannot be started does not take over.
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
	if names := w.Plugins(FailureClassifier); !slices.Equal(names, []string{"b", "a"}) {
		t.Errorf("order %v", names)
	}
}

// The same configuration, but another file on the disk.
func TestReloadOfChangedFile(t *testing.T) {
	script := t.TempDir() + "/script"
	write := func(text string) {
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
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
