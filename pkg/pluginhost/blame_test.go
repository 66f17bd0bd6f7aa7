package pluginhost

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// quiet are Frameworks of many namespaces whose questions are harmless. Each asks again and again until it is stopped.
type quiet struct {
	*world
	stop    chan struct{}
	askers  sync.WaitGroup
	answers atomic.Int32

	mu      sync.Mutex
	slowest time.Duration
	wrong   []string
}

func (w *world) quiet(n int, ask func(i, n int) error) *quiet {
	q := &quiet{world: w, stop: make(chan struct{})}
	for i := range n {
		q.askers.Go(func() {
			for n := 0; ; n++ {
				began := time.Now()
				q.note(i, ask(i, n), time.Since(began))
				select {
				case <-q.stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	return q
}

func (q *quiet) note(i int, err error, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slowest = max(q.slowest, took)
	if err != nil {
		q.wrong = append(q.wrong, fmt.Sprintf("%d: %v", i, err))
	}
	q.answers.Add(1)
}

// end fails the test if any question got no answer, or a late one.
func (q *quiet) end(t *testing.T) {
	t.Helper()
	close(q.stop)
	q.askers.Wait()
	t.Logf("%d answers, the slowest after %s, %d restarts", q.answers.Load(), q.slowest, q.health("p").Restarts)
	if len(q.wrong) > 0 {
		t.Errorf("%d without an answer: %.500q", len(q.wrong), q.wrong)
	}
	if q.slowest > 15*time.Second { // a busy machine needs longer; mostly it is 1 s for verdicts, 3 s for decisions
		t.Errorf("one had to wait for %s", q.slowest)
	}
	// There may have been no question since the last crash, so that the process is still being restarted.
	q.until("ready again", func() bool { return q.health("p").State == Ready })
}

func (w *world) judged(p *pluginpb.FailedPod) error {
	v, err := w.one("p", p)
	if err == nil && v.GetCode() != 42 {
		return fmt.Errorf("got %v", v)
	}
	return err
}

// Frameworks of one author that crash, hang or bloat the plugin harm only themselves: the plugin is soon no longer asked about them, and
// everybody else gets the plugin's own answer in time.
func TestOneAuthorAgainstAll(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux the memory of plugins is known")
	}
	for _, behaviour := range []string{"crash", "hang", "eat", "error", "code 205", "everything"} {
		t.Run(behaviour, func(t *testing.T) {
			c := config("p", "rpc")
			c.MemoryLimit = 100 << 20
			w := newWorld(t)
			w.timing.backoffFirst, w.timing.backoffMost = defaultTiming.backoffFirst, defaultTiming.backoffMost
			w.Reload([]Config{c})
			w.ready("p")
			others := w.quiet(50, func(i, n int) error {
				return w.judged(podOf(fmt.Sprint("quiet-", i), "f", 1000*(i+1)+n, ""))
			})
			w.attack(behaviour)
			others.end(t)
		})
	}
}

// attack asks about Frameworks of a namespace on which the plugin stumbles, until it is no longer asked about any of them.
func (w *world) attack(behaviour string) {
	var bad sync.WaitGroup
	for i := range 20 {
		bad.Go(func() {
			for n := 0; n < 50; n++ {
				does := behaviour
				if does == "everything" {
					does = []string{"crash", "hang", "eat", "error", "code 205"}[(i+n)%5]
				}
				_, err := w.one("p", podOf("evil", fmt.Sprint("f", i), 100*i+n+1e6, does))
				if f, ok := err.(*Fault); ok && f.Kind == CircuitOpened && strings.Contains(f.Message, "namespace") || n > 20 && ok && f.Kind == CircuitOpened {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			w.t.Errorf("Framework %d is asked about again and again", i)
		})
	}
	bad.Wait()
}

// The same for questions that go by themselves.
func TestOneAuthorAgainstAllPolicies(t *testing.T) {
	c := config("p", "rpc")
	c.Kind = plugin.KindCompletionPolicy
	w := newWorld(t, c)
	w.ready("p")
	decide := func(namespace, name string) error {
		_, _, err := w.Decide(context.Background(), "p", &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Namespace: namespace, Name: name}, Digest: "d"})
		return err
	}
	others := w.quiet(50, func(i, _ int) error { return decide(fmt.Sprint("quiet-", i), "f") })
	var bad sync.WaitGroup
	for range 8 {
		for _, does := range []string{"crash", "sleep 1h", "error", "code"} {
			bad.Go(func() {
				for range 50 {
					if f, ok := decide("evil", does).(*Fault); ok && f.Kind == CircuitOpened {
						return
					}
				}
				t.Errorf("%s is asked about again and again", does)
			})
		}
	}
	bad.Wait()
	others.end(t)
}

// While only one Framework makes trouble, the plugin is still asked about others of its namespace, and the fault says why it is not asked
// about the one.
func TestOneFrameworkIsHeldBack(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	for i := range 2 {
		w.ready("p")
		_, err := w.one("p", podOf("a", "bad", i, "crash"))
		if i == 0 {
			wantFault(t, err, Crashed, "panic: on purpose")
		}
	}
	_, err := w.one("p", podOf("a", "bad", 9, ""))
	wantFault(t, err, CircuitOpened, "is not asked about this Framework for a while")
	wantFault(t, err, CircuitOpened, "the last: the process ended with exit status 2")
	if err := w.judged(podOf("a", "good", 10, "")); err != nil {
		t.Error(err)
	}
	if n := strings.Count(w.logged(), "plugin is not asked for a while: about=\"Framework a/bad\""); n != 1 {
		t.Errorf("logged %d times:\n%s", n, w.logged())
	}

	// After a while one question tries, and then all of them are asked again.
	w.letTry("p")
	if err := w.judged(podOf("a", "bad", 11, "")); err != nil {
		t.Error(err)
	}
	if err := w.judged(podOf("a", "bad", 12, "")); err != nil {
		t.Error(err)
	}
	// At the next end it is enough.
	_, err = w.one("p", podOf("a", "bad", 13, "crash"))
	wantFault(t, err, CircuitOpened, "is not asked about this Framework for a while")
}

// letTry has all circuits of Frameworks and namespaces be open for long enough.
func (w *world) letTry(name string) {
	s := w.slot(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.circuits.known {
		c.until = time.Now()
	}
}

// A Framework whose questions are not answered is held back, too, and so is a namespace with several. Answers to others
// show that the plugin is well, so it is not restarted.
func TestFrameworksWithoutAnswers(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	n := 0
	ask := func(namespace, framework, behaviour string) error {
		n++
		return w.judged(podOf(namespace, framework, n, behaviour))
	}
	for range ofFramework.faults {
		wantFault(t, ask("a", "f", "error"), Failed, "on purpose")
		require.NoError(t, ask("b", "f", ""))
	}
	wantFault(t, ask("a", "f", ""), CircuitOpened, "about this Framework")
	for i := range circuitFaults - ofFramework.faults {
		wantFault(t, ask("a", fmt.Sprint("g", i), "error"), Failed, "on purpose")
	}
	wantFault(t, ask("a", "h", ""), CircuitOpened, "about the Frameworks of this namespace")
	require.NoError(t, ask("b", "f", ""))
	if h := w.health("p"); h.Restarts > 0 || h.State != Ready || h.ConsecutiveFaults > 0 {
		t.Errorf("health: %+v", h)
	}
}

// A process that answers no question is replaced, though only one namespace asks.
func TestProcessThatAnswersOneNamespaceNothing(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	for i := range circuitFaults {
		wantFault(t, w.judged(podOf("a", fmt.Sprint("f", i%2), i, "error")), Failed, "on purpose")
	}
	w.until("it is replaced", func() bool { h := w.health("p"); return h.Restarts == 1 && h.State == Ready })
}

// If a process ends while several questions are under way, the culprit is unknown. All of them are asked again, one by one, and nothing is
// counted against the harmless ones.
func TestInnocentsAreAcquitted(t *testing.T) {
	c := config("p", "rpc")
	c.Env["NOTES"] = t.TempDir()
	w := newWorld(t, c)
	w.ready("p")
	var askers sync.WaitGroup
	for i := range 5 {
		askers.Go(func() {
			if err := w.judged(podOf(fmt.Sprint("quiet-", i), "f", i, "first sleep 300ms")); err != nil {
				t.Error(err)
			}
		})
	}
	askers.Go(func() {
		w.until("others are being asked about", func() bool { return len(w.slot("p").calls) >= 4 })
		wantFault(t, w.judged(podOf("evil", "f", 100, "crash")), Crashed, "on purpose")
	})
	askers.Wait()
	s := w.slot("p")
	s.mu.Lock()
	defer s.mu.Unlock()
	for o := range s.circuits.known {
		if o.namespace != "evil" {
			t.Errorf("counted against %s", o)
		}
	}
	if c := s.circuits.known[owner{"evil", "f"}]; c == nil || c.ends != 2 {
		t.Errorf("against the one that it was: %+v", c)
	}
	if len(s.permits) > 0 || s.suspects > 0 || s.onTrial != nil || len(s.namespaces) > 0 || len(s.batch.inFlight) > 0 {
		t.Errorf("left behind: %+v", s)
	}
}

// A plugin that ends long after it was asked, so that several are on trial by then, is gone on without nevertheless.
func TestEndsLongAfterTheQuestion(t *testing.T) {
	const end = "end after 500ms"
	for _, kind := range []plugin.Kind{plugin.KindFailureClassifier, plugin.KindCompletionPolicy} {
		t.Run(string(kind), func(t *testing.T) {
			c := config("p", "rpc")
			c.Kind = kind
			w := newWorld(t, c)
			w.ready("p")
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			var askers sync.WaitGroup
			for i := range 2 {
				p := podOf(fmt.Sprint("ns-", i), end, i, end)
				askers.Go(func() {
					var err error
					if kind == plugin.KindFailureClassifier {
						_, _, err = w.Classify(ctx, "p", []*pluginpb.FailedPod{p})
					} else {
						_, _, err = w.Decide(ctx, "p", &pluginpb.DecideRequest{Framework: p.Framework, Digest: "d"})
					}
					if f, ok := err.(*Fault); !ok || ctx.Err() != nil || f.Kind != Crashed && f.Kind != CircuitOpened {
						t.Errorf("got %v", err)
					}
				})
			}
			askers.Wait()
			if n := w.health("p").Restarts; n > 12 {
				t.Errorf("restarted %d times", n)
			}
		})
	}
}

// One namespace leaves room for the calls of others.
func TestNamespaceLeavesRoom(t *testing.T) {
	c, p := config("c", "rpc"), config("p", "rpc")
	p.Kind = plugin.KindCompletionPolicy
	w := newWorld(t, c, p)
	w.ready("c")
	w.ready("p")
	var askers sync.WaitGroup
	defer askers.Wait()
	for i := range 2 * maxCalls {
		askers.Go(func() {
			w.Classify(context.Background(), "c", []*pluginpb.FailedPod{podOf("a", fmt.Sprint("f", i), i, "sleep 1s")})
		})
		askers.Go(func() {
			w.Decide(context.Background(), "p", &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Namespace: "a", Name: "sleep 1s"}, Digest: "d"})
		})
		time.Sleep(2 * batchPatience) // so that each goes in a call of its own
	}
	for _, name := range []string{"c", "p"} {
		s := w.slot(name)
		s.mu.Lock()
		if n := len(s.permits); n > maxNamespaceCalls {
			t.Errorf("%d calls of %s", n, name)
		}
		s.mu.Unlock()
	}
	if v, _, err := w.Classify(context.Background(), "c", []*pluginpb.FailedPod{podOf("b", "f", 999, "")}); err != nil || len(v.Given) != 1 {
		t.Errorf("%v, %v", v, err)
	}
	if _, _, err := w.Decide(context.Background(), "p", &pluginpb.DecideRequest{Framework: &pluginpb.Framework{Namespace: "b"}, Digest: "d"}); err != nil {
		t.Error(err)
	}
}
