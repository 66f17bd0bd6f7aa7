package controller

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// stopping tells the controller to stop, and returns a channel that is closed when it has.
func (w *world) stopping() <-chan struct{} {
	stopped := make(chan struct{})
	go func() {
		w.stop()
		close(stopped)
	}()
	w.eventually("the controller is told to stop", func() bool { return len(w.log.lines("stopping")) > 0 })
	return stopped
}

// What is under way when the controller is told to stop is completed, and nothing else is begun.
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

// Keys that wait for their round get none any more, however many they are.
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
	if n := len(w.Requests("get frameworks")); n != 1 {
		t.Errorf("%d Frameworks were read", n)
	}
}

// The next controller carries on where one stopped.
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
	if n := len(w.Requests("create pods")); n != 2 {
		t.Errorf("%d Pods were created", n)
	}
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

// goroutines returns the stacks of those that are in one of the packages, but for tests.
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

// Nothing is remembered of Frameworks that have gone.
func TestRecordsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	for i := range 10 {
		w.create(fmt.Sprintf("a%d", i), tasks(2))
	}
	for i := range 10 {
		w.taskReaches(fmt.Sprintf("a%d", i), "w", 1, v1.AttemptPreparing)
	}
	for i := range 10 {
		w.Delete(apitest.Frameworks, fmt.Sprintf("a%d", i))
	}
	w.eventually("all Pods have gone", func() bool { return len(w.List(apitest.Pods)) == 0 })
	time.Sleep(100 * time.Millisecond) // for news that come in late
	w.eventually("nothing is remembered", func() bool { return w.recordCount() == 0 })
}

// Nothing much is remembered of the Pods of a Framework that has completed.
func TestPodsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(3))
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.stop()
	if n := len(w.c.records.get(w.key("a")).pods); n != 0 {
		t.Errorf("%d Pods are remembered", n)
	}
}

// panickyLog panics when something is told about one Framework, as a bug in a round might.
type panickyLog struct {
	hclog.Logger
	framework string
}

func (l panickyLog) Info(text string, pairs ...any) {
	for _, value := range pairs {
		if value == l.framework {
			panic("a bug")
		}
	}
	l.Logger.Info(text, pairs...)
}

// A bug that one Framework brings to light does not stop the others.
func TestPanicInARound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.options.Log = panickyLog{w.options.Log, "default/bad"}
	w.options.Workers = 1
	w.start()
	w.create("bad")
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if lines := w.log.lines("panic"); len(lines) == 0 || !strings.Contains(lines[0], "default/bad") {
		t.Errorf("the log has %v", lines)
	}
}

// Nor does one in an action: it counts as failed, and is tried again.
func TestPanicInAnAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.start()
	g := &gate{}
	got := w.c.performGated(t.Context(), w.key("a"), g, func(context.Context) result { panic("a bug") })
	if got.err == nil || !got.transient() || g.opens().IsZero() {
		t.Errorf("the result is %+v, and the gate opens %v", got, g.opens())
	}
}

// An API server that does not serve the CRD is waited for; one that refuses it is not. The error says so, in one line.
func TestCRDCannotBeInstalled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault   apitest.Fault
		timeout time.Duration
		want    string
	}{
		"refused": {apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "you must not"), patience,
			"installing CRD " + v1.CRDName + ": you must not"},
		"not served": {apitest.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "starting"), 100 * time.Millisecond,
			"installing CRD " + v1.CRDName + ": context deadline exceeded: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Inject("patch customresourcedefinitions", apitest.Always, test.fault)
			w.options.CRD.CheckTimeout = test.timeout
			clients, err := NewClients(w.config)
			if err != nil {
				t.Fatal(err)
			}
			c, err := New(clients, w.options)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Run(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want %q", err, test.want)
			}
		})
	}
}
