package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// The test binary is also the plugin, and the host that gets killed.
const (
	childMode = "TEST_PLUGIN"
	hostMode  = "TEST_HOST"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		serveChild(mode)
	}
	if os.Getenv(hostMode) != "" {
		serveHost()
	}
	os.Exit(m.Run())
}

var quick = timing{
	start: 5 * time.Second, grace: time.Second, healthCheck: 200 * time.Millisecond, healthTimeout: 300 * time.Millisecond, memoryCheck: 20 * time.Millisecond,
	backoffFirst: 20 * time.Millisecond, backoffMost: 200 * time.Millisecond, healthy: time.Minute,
}

// world is a host with its log and its reports. It ends with the test, and leaves nothing behind.
type world struct {
	*Host
	t *testing.T

	mu    sync.Mutex
	log   strings.Builder
	calls []Call
	told  []Health
}

func newWorld(t *testing.T, configs ...Config) *world {
	t.Helper()
	before := runtime.NumGoroutine()
	w := &world{t: t}
	sockets, err := os.MkdirTemp("", "ph")
	require.NoError(t, err)
	t.Setenv("TMPDIR", sockets)
	log := hclog.New(&hclog.LoggerOptions{Output: w, Level: hclog.Debug})
	w.Host = newHost(Options{Log: log, OnChange: w.change, OnCall: w.call}, quick)
	t.Cleanup(func() {
		w.Stop()
		w.nothingLeft(before, sockets)
	})
	if mistakes := Validate("plugins", configs); mistakes != nil {
		t.Fatal(mistakes)
	}
	w.Reload(configs)
	return w
}

func (w *world) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(b)
}

func (w *world) change(h Health) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, h)
}

func (w *world) call(c Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

// nothingLeft: no goroutine, no child, no socket.
func (w *world) nothingLeft(goroutines int, sockets string) {
	w.t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > goroutines && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		w.t.Errorf("%d goroutines, before there were %d", n, goroutines)
		pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		w.t.Errorf("there are still children: %d, %v", pid, err)
	}
	if left, _ := os.ReadDir(sockets); len(left) > 0 {
		w.t.Errorf("left in TMPDIR: %v", left)
	}
	os.RemoveAll(sockets)
}

// ready waits until a plugin answers.
func (w *world) ready(name string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.AwaitReady(ctx, name); err != nil {
		w.t.Fatalf("not ready: %v\n%s", err, w.logged())
	}
}

// until waits for something that has to become true.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("%s does not become true: %+v\n%s", what, w.Health(), w.logged())
		}
	}
}

// one asks about one Pod.
func (w *world) one(name string, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	v, _, err := w.Classify(context.Background(), name, []*pluginpb.FailedPod{pod})
	return v.Given[pod.GetUid()], err
}

func (w *world) health(name string) Health {
	for _, h := range w.Health() {
		if h.Name == name {
			return h
		}
	}
	w.t.Fatalf("no health of %s", name)
	return Health{}
}

// wantFault fails unless err is a fault of the kind, whose message contains the text.
func wantFault(t *testing.T, err error, kind FaultKind, text string) {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) {
		t.Fatalf("got %v, and not a fault", err)
	}
	if f.Kind != kind || !strings.Contains(f.Error(), text) {
		t.Errorf("got %s: %s\nwant %s: ...%s...", f.Kind, f, kind, text)
	}
}

// config is the configuration of a child which behaves in one of the ways of child_test.go.
func config(name, mode string) Config {
	own, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Config{Name: name, Kind: plugin.KindFailureClassifier, Command: own, Timeout: 2 * time.Second,
		Env: map[string]string{childMode: mode}}
}

// pod is a Pod that a child judges as the behaviour says; see child_test.go.
func pod(n int, behaviour string) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{Uid: fmt.Sprintf("uid-%d", n), Name: fmt.Sprintf("pod-%d", n), Reason: behaviour}
}

// podOf is such a Pod of a Framework.
func podOf(namespace, framework string, n int, behaviour string) *pluginpb.FailedPod {
	p := pod(n, behaviour)
	p.Framework = &pluginpb.Framework{Namespace: namespace, Name: framework}
	return p
}
