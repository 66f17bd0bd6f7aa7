package pluginhost

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A fault that passes costs nobody his answer.
func TestAskedAgain(t *testing.T) {
	for _, behaviour := range []string{"first error", "first sleep 800ms", "first code 205", "first crash"} {
		t.Run(behaviour, func(t *testing.T) {
			c, p := config("c", "rpc"), config("p", "rpc")
			p.Kind = CompletionPolicy
			c.Timeout, p.Timeout = 500*time.Millisecond, 500*time.Millisecond
			directory := t.TempDir() // where processes note what they were asked, as some of them end
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

// A process that answers nobody is restarted before it is gone on without, and one that answers others is not.
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
	// The same that comes again, as it does if it is waited for, does not have it restarted each time.
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

// Questions that wait for their turn are not taken for questions that are not answered.
func TestQueuesAreNoFaults(t *testing.T) {
	c, p := config("c", "rpc"), config("p", "rpc")
	p.Kind = CompletionPolicy
	c.Timeout, p.Timeout = 500*time.Millisecond, 500*time.Millisecond
	w := newWorld(t, c, p)
	w.ready("c")
	w.ready("p")
	var askers sync.WaitGroup
	for i := range 60 {
		askers.Go(func() {
			_, _, err := w.Decide(context.Background(), "p",
				&pluginpb.DecideRequest{Framework: &pluginpb.Framework{Name: "sleep 250ms"}, Digest: strconv.Itoa(i)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	var pods []*pluginpb.FailedPod
	for i := range 3000 { // 1.5 s of a plugin that judges one after the other
		pods = append(pods, pod(i, "queue 500us"))
	}
	v, _, err := w.Classify(context.Background(), "c", pods)
	if err != nil || len(v.Given) != len(pods) || len(v.Faults) > 0 {
		t.Errorf("%d verdicts, %d faults, %v", len(v.Given), len(v.Faults), err)
	}
	askers.Wait()
	for _, name := range []string{"c", "p"} {
		if h := w.health(name); h.Restarts != 0 || h.State != Ready {
			t.Errorf("health: %+v", h)
		}
	}
}

// One asker with many Pods does not keep another waiting until all of them are judged.
func TestAskersTakeTurns(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	var pods []*pluginpb.FailedPod
	for i := range 2000 {
		pods = append(pods, pod(i, "queue 1ms"))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, _, err := w.Classify(context.Background(), "p", pods); err != nil {
			t.Error(err)
		}
	}()
	w.until("a call under way", func() bool { return len(w.slot("p").calls) > 0 })
	if _, err := w.one("p", pod(9999, "")); err != nil {
		t.Error(err)
	}
	select {
	case <-done:
		t.Error("the others were first")
	default:
	}
	<-done
}

// A plugin that takes long to start is waited for, however little time its answers have.
func TestSlowStart(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 100 * time.Millisecond
	c.Env["START"] = "1s"
	w := newWorld(t, c)
	if v, err := w.one("p", pod(0, "")); err != nil || v == nil {
		t.Errorf("at first: %v, %v", v, err)
	}
	if err := syscall.Kill(w.health("p").PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if v, err := w.one("p", pod(1, "")); err != nil || v == nil {
		t.Errorf("after a crash: %v, %v", v, err)
	}
}

// A machine that stands still for a moment is no reason to kill a plugin whose answers have little time.
func TestStandstill(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 20 * time.Millisecond
	w := newWorld(t)
	w.timing.well = 3 * time.Second
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

// A bad configuration does not take over because the plugin happens to be restarted.
func TestReloadDuringRestart(t *testing.T) {
	c := config("p", "rpc")
	w := newWorld(t)
	w.timing.backoffFirst = time.Second
	w.Reload([]Config{c})
	w.ready("p")
	if err := syscall.Kill(w.health("p").PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
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
	script := t.TempDir() + "/script"
	write := func(text string) {
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	c := config("p", "rpc")
	c.Env["START"] = "500ms"
	c.Files = map[string]string{script: ""}
	w := newWorld(t, c)
	s := w.slot("p")
	w.until("the start", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.serving.fingerprint != "" })
	first := s.serving
	write("two")
	w.Reload([]Config{c})
	w.until("another one", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.serving != first && s.serving.alive() })
}

// What a plugin started does not stay a zombie if the controller is the first process of its container.
func TestGrandchildrenAreBuried(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	w := newWorld(t, config("p", "parent"))
	w.ready("p")
	grandchild, pid := w.health("p").Version, w.health("p").PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until("no trace is left", func() bool { _, err := os.Stat(fmt.Sprint("/proc/", grandchild)); return os.IsNotExist(err) })
}

func TestPace(t *testing.T) {
	p := newPace()
	for range 10 {
		p.learn(p.most, time.Millisecond, time.Second)
	}
	if p.most != batchPods {
		t.Errorf("%d Pods for a plugin that is fast", p.most)
	}
	p.learn(1, time.Millisecond, time.Second) // says nothing about more
	p.learn(1, 2*time.Second, time.Second)    // nor does this
	p.learn(p.most, 300*time.Millisecond, time.Second)
	if p.most != batchPods {
		t.Errorf("%d Pods for a plugin that is fast enough", p.most)
	}
	for range maxCalls {
		p.learn(batchPods, 2*time.Second, time.Second)
	}
	if p.most != batchPods/4 {
		t.Errorf("%d Pods after calls that were slow at the same time", p.most)
	}
	for range 10 {
		p.learn(p.most, 2*time.Second, time.Second)
	}
	if p.most != 1 {
		t.Errorf("%d Pods for a plugin that is slow", p.most)
	}
	for range 3 {
		p.learn(p.most, 300*time.Millisecond, time.Second)
	}
	if p.most != 4 {
		t.Errorf("%d Pods for a plugin that takes its time for each call", p.most)
	}
}
