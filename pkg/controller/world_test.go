package controller

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// world is an API server and a controller that runs against it. When its test ends, every request of the controller is audited
// (audit_test.go), and its log must not contain an error that the test did not expect.
type world struct {
	*apitest.Server
	t       *testing.T
	log     *logBuffer
	options Options
	config  *rest.Config
	adjust  func(*apiserver.Clients) // nil leaves them as configured

	c         *Controller
	looks     atomic.Int64 // at the clock: each round takes some
	slowClock atomic.Bool  // each look takes a millisecond
	stop      func()       // ends the controller that runs, and waits until it has ended

	sink *sink    // of a story; nil if it has none
	logs *logSink // also collects logs; nil if there is none

	errorsExpected bool
	// tampered: the test writes statuses by hand, so they do not follow from each other.
	tampered bool
	// slow: requests may take so long that the status has moved on when they arrive.
	slow bool
}

// newWorld returns a world whose controller does not run yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, apitest.Start(t))
}

// inBubble runs a test in a world whose time passes only while everything in it waits (testing/synctest): however busy the
// machine is, requests are sent at their moment, and waits last exactly as long as intended.
func inBubble(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(newWorldOn(t, apitest.StartPiped(t))) })
}

func newWorldOn(t *testing.T, s *apitest.Server) *world {
	w := &world{Server: s, t: t, log: &logBuffer{}, config: s.Config(), stop: func() {}}
	w.options = Options{
		Workers: 4,
		Lifecycle: lifecycle.Config{
			CreationTimeout:    time.Minute,
			CompletedRetention: time.Hour,
		},
		CRD: apiserver.CRDOptions{Manifest: []byte(manifest), CheckInterval: 10 * time.Millisecond, CheckTimeout: 10 * time.Second},
		Log: hclog.New(&hclog.LoggerOptions{Output: w.log, Level: hclog.Debug, Mutex: &w.log.mu}),
	}
	t.Cleanup(w.end)
	return w
}

// manifest is all of the CRD that the server looks at.
const manifest = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: frameworks.frameworkcontroller.microsoft.com}
spec: {versions: [{name: v1, subresources: {status: {}}}]}
`

// startWorld returns a world whose controller runs.
func startWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.start()
	return w
}

// start runs a new controller, without any memory of an earlier one.
func (w *world) start() {
	w.t.Helper()
	w.run(w.newController(func() time.Time {
		w.looks.Add(1)
		if w.slowClock.Load() {
			time.Sleep(time.Millisecond)
		}
		return time.Now()
	}))
}

// run runs a controller until stop is called.
func (w *world) run(c *Controller) {
	w.t.Helper()
	w.c = c
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				w.t.Errorf("Run returned %v", err)
			}
		case <-time.After(patience):
			w.t.Error("the controller does not stop")
		}
	})
}

// startWith runs a new controller that asks these plugins.
func (w *world) startWith(plugins consult.Host) {
	w.t.Helper()
	w.options.Plugins = consult.New(plugins, nil)
	w.start()
}

// newController returns a controller that does not run yet.
func (w *world) newController(now func() time.Time) *Controller {
	w.t.Helper()
	clients, err := NewClients(w.config)
	require.NoError(w.t, err)
	if w.adjust != nil {
		w.adjust(clients)
	}
	c, err := newController(clients, w.options, now)
	require.NoError(w.t, err)
	return c
}

// kill ends the controller while the API server no longer answers it.
func (w *world) kill() {
	w.Judge(unanswered)
	w.stop()
}

// unanswered is the fault for requests of a crashed controller. A read gets an answer that ends it, since client-go would repeat
// it for ten seconds.
func unanswered(q apitest.Request) apitest.Fault {
	if q.Verb == "get" {
		return apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "crashed")
	}
	return apitest.DropConnection
}

// restart replaces the controller by a new one.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.start()
}

// end stops the controller and checks its requests, counts and log.
func (w *world) end() {
	w.Heal() // otherwise client-go repeats requests under way
	w.stop()
	w.audit()
	w.auditCounts()
	if errors := w.log.lines("[ERROR]"); len(errors) > 0 && !w.errorsExpected {
		w.t.Errorf("the log has errors:\n%s", strings.Join(errors, "\n"))
	}
	if w.t.Failed() {
		w.t.Logf("requests:\n%s\nlog:\n%s", w.story(), w.log)
	}
}

// story lists the requests.
func (w *world) story() string {
	var b strings.Builder
	for _, q := range w.Requests("*") {
		b.WriteString(q.At.Format("05.000 ") + q.String() + "\n")
	}
	return b.String()
}
