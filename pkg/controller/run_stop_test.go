package controller

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// stopping tells the controller to stop, and returns a channel that is closed once it has stopped.
func (w *world) stopping() <-chan struct{} {
	stopped := make(chan struct{})
	go func() {
		w.stop()
		close(stopped)
	}()
	w.eventually("the controller is told to stop", func() bool { return len(w.log.lines("stopping")) > 0 })
	return stopped
}

// Work under way when the controller is told to stop is completed, and nothing else is begun.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Workers, w.options.RequestsInFlight = 1, 1
	held := make(chan struct{})
	w.Inject("create configmaps", 1, apitest.Fault{Wait: held})
	w.start()
	for i := range 20 {
		w.create(fmt.Sprintf("a%d", i))
	}
	w.requested("create configmaps", 1)
	w.eventually("all have a status", func() bool { return len(w.Requests(statusWrites)) >= 20 })

	stopped := w.stopping()
	before := len(w.Requests("*"))
	w.never("the controller has ended", func() bool { return isClosed(stopped) })
	close(held)
	<-stopped
	if q := w.Requests("create configmaps"); len(q) != 1 || q[0].Code != http.StatusCreated {
		t.Errorf("%d creations, the first answered with %d", len(q), q[0].Code)
	}
	w.never("a new request", func() bool { return len(w.Requests("*")) > before })
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Keys that wait for their round get no round, however many they are.
func TestStopWithRoundsWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Workers = 1
	held := make(chan struct{})
	w.Inject("get frameworks", 1, apitest.Fault{Wait: held})
	for i := range 20 {
		w.create(fmt.Sprintf("a%d", i))
	}
	w.start()
	w.requested("get frameworks", 1)
	stopped := w.stopping()
	close(held)
	<-stopped
	w.requireRequests("get frameworks", 1)
}

// The next controller continues where one stopped.
func TestRestarts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", taskRetries(1))
	for _, code := range []int64{1, 0} {
		w.restart()
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		w.restart()
		w.EndPod("a-w-0", code)
		w.eventually("the attempt has ended", func() bool {
			return w.task("a", "w", 0).AttemptStatus.ID == 1 || w.task("a", "w", 0).State == v1.Completed
		})
	}
	w.reaches("a", v1.Completed)
	w.requireRequests("create pods", 2)
}

// A controller that has ended leaves nothing behind.
func TestNoGoroutineIsLeft(t *testing.T) {
	w := startWorld(t)
	w.running("a")
	w.stop()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		left := goroutines("pkg/controller.", "client-go/")
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
}

// goroutines returns the stacks of goroutines in the given packages, without the goroutines of tests.
func goroutines(packages ...string) []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var out []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		for _, p := range packages {
			if strings.Contains(stack, p) && !strings.Contains(stack, "testing.tRunner") {
				out = append(out, stack)
				break
			}
		}
	}
	return out
}
