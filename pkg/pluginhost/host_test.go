package pluginhost

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestAnswers(t *testing.T) {
	c := config("p", "rpc")
	c.Env["VERSION"] = "1.2.3"
	w := newWorld(t, c)
	pods := []*pluginpb.FailedPod{pod(0, ""), pod(1, "nothing"), pod(2, "code 205"), pod(3, "long"), pod(0, ""), pod(4, "refuse")}
	v, source, err := w.Classify(context.Background(), "p", pods)
	if err != nil || source != (Source{"p", "1.2.3"}) {
		t.Fatalf("%+v, %v", source, err)
	}
	if r := v.Given["uid-4"]; r.GetRefusal() != strings.Repeat("ä", 2048) || r.GetCode() != 0 {
		t.Errorf("refusal: %v", r)
	}
	if len(v.Given) != 3 || v.Given["uid-0"].GetCode() != 42 || len(v.Given["uid-3"].GetDiagnostics()) != 4096 {
		t.Errorf("verdicts: %v", v.Given)
	}
	if len(v.Faults) != 1 {
		t.Fatalf("faults: %v", v.Faults)
	}
	wantFault(t, v.Faults["uid-2"], Invalid, `FailureClassifier(p): invalid verdict on the Pod with UID "uid-2": code 205 is reserved`)
	wantFault(t, v.Faults["uid-2"].OfAnyPod(), Invalid, "FailureClassifier(p): invalid verdict on a Pod: code 205 is reserved")
	h := w.health("p")
	if h.State != Ready || h.Version != "1.2.3" || h.PID == 0 || h.ConsecutiveFaults != 0 || h.LastFault.Kind != Invalid {
		t.Errorf("health: %+v", h)
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		behaviour string
		kind      FaultKind
		message   string
	}{
		{"hang", Timeout, "no answer within 500ms"},
		{"sleep 800ms", Timeout, "no answer within 500ms"},
		{"crash", Crashed, "the process ended with exit status 2; its last words: panic: on purpose"},
		{"error", Failed, "answered with the error FailedPrecondition: on purpose"},
		{"huge", TooLarge, "the answer is larger than 4194304 bytes"},
		{"code -100", Invalid, "reserved"},
	}
	for _, tt := range tests {
		t.Run(tt.behaviour, func(t *testing.T) {
			c := config("p", "rpc")
			c.Timeout = 500 * time.Millisecond
			w := newWorld(t, c, config("q", "rpc"))
			w.ready("p")
			w.ready("q")
			other := w.health("q")
			_, err := w.one("p", pod(0, tt.behaviour))
			wantFault(t, err, tt.kind, tt.message)
			w.ready("p")
			if v, err := w.one("p", pod(1, "")); err != nil || v.GetCode() != 42 {
				t.Errorf("afterwards: %v, %v", v, err)
			}
			if got := w.health("q"); got != other {
				t.Errorf("another plugin: %+v\nwas %+v", got, other)
			}
		})
	}
}

func TestOtherKinds(t *testing.T) {
	policy, hints := config("policy", "rpc"), config("hints", "rpc")
	policy.Kind, hints.Kind = plugin.KindCompletionPolicy, plugin.KindSchedulerHints
	w := newWorld(t, policy, hints)
	ctx := context.Background()
	decide := func(name string) (*pluginpb.DecideResponse, error) {
		a, _, err := w.Decide(ctx, "policy", &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Name: name, AttemptId: 3}, Digest: "d"})
		return a, err
	}
	if a, err := decide("f"); err != nil || a.GetDecision() != pluginpb.DecideResponse_SUCCEEDED {
		t.Errorf("decide: %v, %v", a, err)
	}
	if a, err := decide("abstain"); err != nil || a != nil {
		t.Errorf("abstain: %v, %v", a, err)
	}
	for range 2 * circuitFaults { // these are answers, and none of them counts as a fault
		if a, err := decide("refuse"); err != nil || a.GetRefusal() != strings.Repeat("ä", 2048) || a.GetDecision() != pluginpb.DecideResponse_ABSTAIN {
			t.Fatalf("refusal: %v, %v", a, err)
		}
	}
	_, err := decide("stale")
	wantFault(t, err, Invalid, `invalid answer: it is about digest "old" of attempt 3`)
	_, err = decide("crash")
	wantFault(t, err, Crashed, "ended with exit status 2")

	hint := func(name string) (*pluginpb.HintResponse, error) {
		a, _, err := w.Hint(ctx, "hints", &pluginpb.HintRequest{Framework: &pluginpb.Framework{Name: name}, Roles: []*pluginpb.RoleShape{{Name: "a"}}})
		return a, err
	}
	if a, err := hint("f"); err != nil || !a.GetWait() || a.GetPatches()[0].GetSchedulerName() != "s" {
		t.Errorf("hint: %v, %v", a, err)
	}
	if a, err := hint("none"); err != nil || a != nil {
		t.Errorf("no hint: %v, %v", a, err)
	}
	if a, err := hint("refuse"); err != nil || a.GetRefusal() != "no such cell" {
		t.Errorf("refusal: %v, %v", a, err)
	}
	_, err = hint("reserved")
	wantFault(t, err, Invalid, "label FC_TASK_INDEX is set by the controller")
	if a, _, err := w.MayCreate(ctx, "hints", &pluginpb.MayCreateRequest{}); err != nil || a.GetYes() || a.GetRetryAfterSeconds() != 7 {
		t.Errorf("may create: %v, %v", a, err)
	}
	if got := w.Plugins(plugin.KindCompletionPolicy); !slices.Equal(got, []string{"policy"}) {
		t.Errorf("policies: %v", got)
	}
}

func TestSDK(t *testing.T) {
	w := newWorld(t, config("p", "sdk"))
	v, source, err := w.Classify(context.Background(), "p", []*pluginpb.FailedPod{pod(0, ""), pod(1, "log"), pod(2, "panic")})
	if err != nil || source.Version != "sdk" || v.Given["uid-0"].GetPhrase() != "Answer" || v.Faults["uid-1"] != nil {
		t.Errorf("%v, %v, %v", v, source, err)
	}
	// The panic is an error of that question only, and the process continues.
	wantFault(t, v.Faults["uid-2"], Failed, "panic while classifying Pod pod-2: on purpose")
	if h := w.health("p"); h.Restarts != 0 || h.Minor != plugin.Minor {
		t.Errorf("restarted %d times, minor version %d", h.Restarts, h.Minor)
	}
	w.until("logged", func() bool {
		log := w.logged()
		return strings.Contains(log, `[WARN]  p: a warning: lines="one two" uid=uid-1`) && strings.Contains(log, "[INFO]  p: printed to stdout")
	})
}

// After several faults in a row the process is replaced, and questions wait until one has tried the new one. Only if that fails are they no
// longer asked.
func TestCircuit(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	pid := w.health("p").PID
	fail := func() {
		for i := range circuitFaults {
			_, err := w.one("p", podOf(fmt.Sprint("team-", i), "f", i, "error"))
			wantFault(t, err, Failed, "on purpose")
		}
		if h := w.health("p"); h.ConsecutiveFaults != circuitFaults {
			t.Errorf("health: %+v", h)
		}
	}
	fail()
	began := time.Now()
	if v, err := w.one("p", pod(9, "")); err != nil || v == nil {
		t.Errorf("half open: %v, %v", v, err)
	}
	if took := time.Since(began); took < ofPlugin.first*9/10 {
		t.Errorf("asked after %s", took)
	}
	if h := w.health("p"); h.State != Ready || h.ConsecutiveFaults != 0 || h.PID == pid {
		t.Errorf("health: %+v", h)
	}

	fail()
	s := w.slot("p")
	s.mu.Lock()
	s.circuit.until = time.Now()
	s.mu.Unlock()
	for range 2 {
		_, err := w.one("p", pod(9, "error"))
		wantFault(t, err, CircuitOpened, "is not asked for a while after 6 questions in a row without an answer, the last:")
	}
	if h := w.health("p"); h.State != CircuitOpen {
		t.Errorf("health: %+v", h)
	}
}

// A process that is stopped answers nothing. The health check finds out, and a new one answers.
func TestHang(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 300 * time.Millisecond
	w := newWorld(t, c)
	w.ready("p")
	pid := w.health("p").PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	w.until("another process", func() bool { h := w.health("p"); return h.State == Ready && h.PID != pid })
	if f := w.health("p").LastFault; f == nil || !strings.Contains(f.Message, "health checks") {
		t.Errorf("last fault %v", f)
	}
}

// A machine that stands still for a moment is no reason to kill a plugin whose answers have little time.
func TestStandstill(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 20 * time.Millisecond
	w := newWorld(t)
	w.timing.healthTimeout = 3 * time.Second
	w.Reload([]Config{c})
	w.ready("p")
	pid := w.health("p").PID
	syscall.Kill(pid, syscall.SIGSTOP)
	time.Sleep(700 * time.Millisecond) // three checks
	syscall.Kill(pid, syscall.SIGCONT)
	time.Sleep(300 * time.Millisecond)
	if h := w.health("p"); h.PID != pid || h.Restarts != 0 {
		t.Errorf("health: %+v", h)
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 10 * time.Second
	w := newWorld(t, c)
	w.ready("p")
	var askers sync.WaitGroup
	var most atomic.Int32
	for i := range 20 {
		time.Sleep(2 * batchPatience) // so that each goes in a call of its own
		askers.Go(func() {
			v, err := w.one("p", pod(i, "sleep 700ms"))
			if err != nil {
				t.Error(err)
			}
			n, _ := strconv.Atoi(v.GetRule())
			for m := most.Load(); int32(n) > m && !most.CompareAndSwap(m, int32(n)); m = most.Load() {
			}
		})
	}
	askers.Wait()
	if n := most.Load(); n < 2 || n > maxCalls {
		t.Errorf("%d calls at the same time, want 2 to %d", n, maxCalls)
	}
}

func TestCallerGivesUp(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		w.until("a call under way", func() bool { return len(w.slot("p").calls) == 1 })
		cancel()
	}()
	if _, _, err := w.Classify(ctx, "p", []*pluginpb.FailedPod{pod(0, "sleep 500ms")}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if v, err := w.one("p", pod(1, "")); err != nil || v == nil {
		t.Errorf("afterwards: %v, %v", v, err)
	}
	if n := w.health("p").ConsecutiveFaults; n != 0 {
		t.Errorf("%d faults", n)
	}
}

// The process is killed every 100 ms while questions arrive. None is lost, and none waits longer than for the circuit and then for a start.
func TestKilledAgainAndAgain(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	stop, killed := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { killed <- n }()
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
				if pid := w.health("p").PID; pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
					n++
				}
			}
		}
	}()
	var askers sync.WaitGroup
	var answers, faults atomic.Int32
	end := time.Now().Add(4 * time.Second)
	for i := range 50 {
		askers.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				began := time.Now()
				v, err := w.one("p", podOf(fmt.Sprint("team-", i), "f", 1000*i+n, ""))
				if took := time.Since(began); took > ofPlugin.first+5*time.Second {
					t.Errorf("a question took %s", took)
				}
				switch {
				case err == nil && v.GetUid() == fmt.Sprintf("uid-%d", 1000*i+n):
					answers.Add(1)
				case err != nil:
					faults.Add(1)
				default:
					t.Errorf("neither answer nor fault: %v", v)
				}
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			}
		})
	}
	askers.Wait()
	close(stop)
	n := <-killed
	t.Logf("%d kills, %d answers, %d faults, %d restarts", n, answers.Load(), faults.Load(), w.health("p").Restarts)
	if n < 3 || answers.Load() < 100 {
		t.Errorf("%d kills, %d answers: the test shows nothing", n, answers.Load())
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_CONTROLLER", "1")
	c := config("p", "rpc")
	c.Env["VERSION"] = "environment"
	w := newWorld(t, c)
	w.ready("p")
	want := "FRAMEWORKCONTROLLER_PLUGIN PLUGIN_CLIENT_CERT PLUGIN_MAX_PORT PLUGIN_MIN_PORT PLUGIN_PROTOCOL_VERSIONS " +
		"PLUGIN_UNIX_SOCKET_DIR TEST_PLUGIN VERSION"
	if got := w.health("p").Version; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Processes that a plugin starts end with it.
func TestGrandchildren(t *testing.T) {
	w := newWorld(t, config("p", "parent"))
	w.ready("p")
	grandchild, err := strconv.Atoi(w.health("p").Version)
	if err != nil || syscall.Kill(grandchild, 0) != nil {
		t.Fatalf("no grandchild: %+v", w.health("p"))
	}
	require.NoError(t, syscall.Kill(w.health("p").PID, syscall.SIGKILL))
	w.until("the grandchild is gone", func() bool { return isGone(grandchild) })
}

// Processes that a plugin started do not stay zombies if the controller is the first process of its container.
func TestGrandchildrenAreBuried(t *testing.T) {
	require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	w := newWorld(t, config("p", "parent"))
	w.ready("p")
	grandchild, pid := w.health("p").Version, w.health("p").PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	w.until("no trace is left", func() bool { _, err := os.Stat(fmt.Sprint("/proc/", grandchild)); return os.IsNotExist(err) })
}

func TestNoise(t *testing.T) {
	w := newWorld(t, config("p", "noisy"))
	w.ready("p")
	for i := range 20 {
		if _, err := w.one("p", pod(i, "sleep 50ms")); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(w.logged(), "noise"); n == 0 || n > linesAtOnce+linesPerSecond*20 {
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(w.logged()) {
		if len(line) > maxText+200 {
			t.Fatalf("a line of %d bytes", len(line))
		}
	}
}

func TestChangesAreTold(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	if _, err := w.one("p", pod(0, "crash")); err == nil {
		t.Error("no fault")
	}
	told := func(ok func(Health) bool) func() bool {
		return func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.ContainsFunc(w.told, ok)
		}
	}
	w.until("told of the crash", told(func(h Health) bool { return h.LastFault != nil && h.LastFault.Kind == Crashed }))
	w.until("told of the restart", told(func(h Health) bool { return h.State == Ready && h.Restarts > 0 }))
	w.Reload(nil)
	w.until("told that it is removed", told(func(h Health) bool { return h.State == Removed }))
}

func TestStopEndsQuestions(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	done := make(chan error)
	go func() {
		_, err := w.one("p", pod(0, "hang"))
		done <- err
	}()
	w.until("a call under way", func() bool { return len(w.slot("p").calls) == 1 })
	began := time.Now()
	w.Stop()
	if err := <-done; err == nil {
		t.Error("no fault")
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

// A question that arrives while no other is asked is asked at once. That holds even if earlier simultaneous questions have yet to start a
// further sender.
func TestQuestionAfterABurst(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	b := w.slot("p").batch
	b.mu.Lock()
	b.further = time.AfterFunc(time.Hour, b.sendFurther)
	b.mu.Unlock()
	if v, err := w.one("p", pod(1, "")); err != nil || v.GetUid() != "uid-1" {
		t.Errorf("%v, %v", v, err)
	}
}

// A verdict on a Pod that was not in the question costs no other Pod its verdict.
func TestStranger(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	v, _, err := w.Classify(context.Background(), "p", []*pluginpb.FailedPod{pod(0, "stranger"), pod(1, "")})
	if err != nil || len(v.Given) != 1 || len(v.Faults) != 0 {
		t.Errorf("%v, %v", v, err)
	}
	if f := w.health("p").LastFault; f == nil || !strings.Contains(f.Message, "was not asked about") {
		t.Errorf("last fault %v", f)
	}
}

func TestNotConfigured(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	_, err := w.one("q", pod(0, ""))
	wantFault(t, err, NotConfigured, "plugin(q): is not configured as a FailureClassifier")
	_, _, err = w.Decide(context.Background(), "p", &pluginpb.DecideRequest{})
	wantFault(t, err, NotConfigured, "is not configured as a CompletionPolicy")
}
