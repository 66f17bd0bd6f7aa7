package barrier

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/fields"
)

var (
	ready   = sample([]string{"10.0.0.1"}, []string{"10.0.0.2", "10.0.0.3"})
	unready = sample([]string{"10.0.0.1"}, []string{"10.0.0.2", ""})

	open      = strings.Replace(ready, `"tasks":{`, `"gate":"0_cm","tasks":{`, 1)
	completed = strings.Replace(ready, `"state":"AttemptPreparing","tasks"`, `"state":"Completed","tasks"`, 1)
)

type outcome struct {
	framework *framework
	code      int
	err       error
	last      bool // it took the last look to find out
}

// decide runs the waiter in the background.
func decide(ctx context.Context, w *waiter) <-chan outcome {
	out := make(chan outcome, 1)
	start := time.Now()
	go func() {
		f, code, err := w.decide(ctx)
		out <- outcome{f, code, err, time.Since(start) >= w.settings.Timeout}
	}()
	return out
}

func requireCode(t *testing.T, got outcome, want int) {
	t.Helper()
	if got.code != want || (want == ExitPassed) != (got.err == nil) {
		t.Fatalf("ends with %d, %v; want %d", got.code, got.err, want)
	}
	if (want == ExitPassed) != (got.framework != nil) {
		t.Fatalf("ends with the Framework %v", got.framework)
	}
}

// requireBefore is requireCode for a result that the watch should find before the deadline: the last look would find it too.
func requireBefore(t *testing.T, got outcome, want int) {
	t.Helper()
	requireCode(t, got, want)
	if got.last {
		t.Fatal("only the last look has found out")
	}
}

func requireKinds(t *testing.T, a *api, want ...string) {
	t.Helper()
	if got := a.kinds(); !reflect.DeepEqual(got, want) {
		t.Errorf("the requests were %v, want %v", got, want)
	}
}

// Waiting is one look and one watch, and the whole Framework is sent once.
func TestWaitsForTheGate(t *testing.T) {
	a := newAPI(t)
	a.set(unready, false)
	w, log := a.waiter(settings())
	out := decide(t.Context(), w)
	a.await("watch", 1)
	a.set(strings.Replace(unready, "AttemptPreparing", "AttemptRunning", 1), false)
	a.set(ready, true)
	requireCode(t, <-out, ExitPassed)
	if n := strings.Count(log.String(), "tasks with an address"); n != 1 {
		t.Errorf("tells the counts %d times:\n%s", n, log)
	}
	requireKinds(t, a, "look", "watch", "ADDED")
	if want := "metadata.name=train,status.gate=0_cm"; a.selector != want {
		t.Errorf("selects %s, want %s", a.selector, want)
	}
}

// The log also reports that there is nothing to wait for.
func TestTellsOfNoTasks(t *testing.T) {
	a := newAPI(t)
	a.set(sample(nil, nil), true)
	w, log := a.waiter(settings())
	requireCode(t, <-decide(t.Context(), w), ExitPassed)
	if n := strings.Count(log.String(), "tasks with an address: ready=0 total=0"); n != 1 {
		t.Errorf("tells the counts %d times:\n%s", n, log)
	}
}

// An open gate is a hint: the ready rule decides, and the watch continues while the rule is not met.
func TestChecksTheRuleItself(t *testing.T) {
	a := newAPI(t)
	a.set(unready, true)
	w, _ := a.waiter(settings())
	out := decide(t.Context(), w)
	a.await("ADDED", 1)
	a.set(sampleOf(2, 2, []string{"10.0.0.1"}, []string{"10.0.0.2", "10.0.0.3"}), true)
	a.await("MODIFIED", 1)
	a.set(ready, true)
	requireCode(t, <-out, ExitPassed)
	requireKinds(t, a, "look", "watch", "ADDED", "MODIFIED", "MODIFIED")
}

// The watch may begin with a Framework that is older than the one already read.
func TestDoesNotTakeAnOldFramework(t *testing.T) {
	a := newAPI(t)
	a.set(ready, true)
	w, _ := a.waiter(settings())
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if f, err := w.watch(ctx, fields.Everything(), "102", watchMost, w.passed); f != nil || ctx.Err() == nil {
		t.Errorf("takes a Framework of version %v (%v), though 102 has been seen", a.version, err)
	}
	if f, err := w.watch(t.Context(), fields.Everything(), "101", watchMost, w.passed); f == nil {
		t.Errorf("does not take the version that has been seen: %v", err)
	}
}

func TestGateClosesAndFrameworkGoes(t *testing.T) {
	a := newAPI(t)
	a.set(unready, true)
	w, _ := a.waiter(settings())
	out := decide(t.Context(), w)
	a.await("ADDED", 1)
	a.set(unready, false) // DELETED, but it is still there
	a.await("watch", 2)
	a.set(unready, true)
	a.await("ADDED", 2)
	a.set("", false) // DELETED, and gone
	requireBefore(t, <-out, ExitInvalid)
}

// Without a gate it is as with the original: the whole Framework at every interval, until it is ready or gone.
func TestPolls(t *testing.T) {
	refuseKind := func(kind string, code int) func(string, int, http.ResponseWriter) bool {
		return func(got string, _ int, w http.ResponseWriter) bool { return got == kind && refuseWith(w, code, "no") }
	}
	for name, prepare := range map[string]func(a *api){
		"the field cannot be selected on": func(a *api) { a.refuse = refuseKind("watch", 400) },
		"watch is not permitted":          func(a *api) { a.refuse = refuseKind("watch", 403) },
		"list is not permitted":           func(a *api) { a.refuse = refuseKind("look", 403) },
		"the controller opens no gates":   func(a *api) { a.ungated = true },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			prepare(a)
			a.set(unready, false)
			w, log := a.waiter(settings())
			out := decide(t.Context(), w)
			a.await("get", 3)
			a.set(ready, false)
			requireBefore(t, <-out, ExitPassed)
			if n := strings.Count(log.String(), "polling"); n != 1 {
				t.Errorf("tells %d times that it polls", n)
			}
			if n := strings.Count(log.String(), "ready=2 total=3"); n != 1 {
				t.Errorf("tells the counts %d times", n)
			}

			a.set(unready, false)
			w, _ = a.waiter(settings())
			out = decide(t.Context(), w)
			a.await("get", a.count("get")+2)
			a.set("", false)
			requireBefore(t, <-out, ExitInvalid)
		})
	}
}

// If permissions arrive a moment later, the barrier does not poll for the rest of its life.
func TestPermissionsComeLater(t *testing.T) {
	a := newAPI(t)
	a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
		return kind != "watch" && nth == 1 && refuseWith(w, 403, "no")
	}
	a.set(ready, true)
	w, _ := a.waiter(settings())
	requireCode(t, <-decide(t.Context(), w), ExitPassed)
	requireKinds(t, a, "look", "get", "look", "watch", "ADDED")
}

// Another Framework than the Pod's own has gates of its own, and may be ready with none open.
func TestWaitsForAnotherFramework(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"other UID":  func(s *Settings) { s.OwnUID = "uid-other" },
		"no UID":     func(s *Settings) { s.OwnUID = "" },
		"no attempt": func(s *Settings) { s.OwnAttempt = "" },
	} {
		t.Run(name, func(t *testing.T) {
			a, s := newAPI(t), settings()
			change(&s)
			for _, up := range []string{completed, open} {
				a.set(up, up == open)
				w, _ := a.waiter(s)
				before := len(a.kinds())
				requireBefore(t, <-decide(t.Context(), w), ExitPassed)
				if got := a.kinds()[before:]; !slices.Equal(got, []string{"look", "get"}) {
					t.Errorf("the requests were %v", got)
				}
			}

			a.set(unready, false)
			w, _ := a.waiter(s)
			out := decide(t.Context(), w)
			a.await("watch", 1)
			a.set(open, true)
			requireBefore(t, <-out, ExitPassed)
			if a.seconds < watchLeast.Seconds() {
				t.Errorf("the watch lasts %v s", a.seconds)
			}
			if want := "metadata.name=train,status.gate!="; a.selector != want {
				t.Errorf("selects %s, want %s", a.selector, want)
			}
		})
	}
}

// The addresses of a failed attempt of another Framework are not taken for its next attempt's.
func TestWaitsForTheNextAttemptOfAnother(t *testing.T) {
	s := settings()
	s.OwnUID = "uid-other"
	failed := strings.Replace(ready, `"state":"AttemptPreparing","tasks"`, `"state":"AttemptCompleted","tasks"`, 1)
	a := newAPI(t)
	a.set(failed, false)
	w, _ := a.waiter(s)
	out := decide(t.Context(), w)
	a.await("watch", 1)
	if a.seconds > watchBetween.Seconds() {
		t.Errorf("the watch lasts %v s, in which it would miss the Framework's end", a.seconds)
	}
	a.set(open, true)
	requireBefore(t, <-out, ExitPassed)

	a.set(failed, false)
	s.Timeout = 400 * time.Millisecond
	w, _ = a.waiter(s)
	requireCode(t, <-decide(t.Context(), w), ExitTimeout)

	// Nor where only get is permitted.
	a.refuse = func(kind string, _ int, w http.ResponseWriter) bool {
		return kind == "watch" && refuseWith(w, 403, "no")
	}
	s.Interval = 50 * time.Millisecond
	w, _ = a.waiter(s)
	requireCode(t, <-decide(t.Context(), w), ExitTimeout)
}

// The barrier waits out every failure of the API server.
func TestSurvives(t *testing.T) {
	hangUp := func(w http.ResponseWriter) bool { panic(http.ErrAbortHandler) }
	refusal := func(code int) func(w http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool { return refuseWith(w, code, "in a bad hour") }
	}
	stream := func(text string) func(w http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool { w.Write([]byte(text)); return true }
	}
	for name, misbehave := range map[string]struct {
		kind string
		how  func(w http.ResponseWriter) bool
	}{
		"connection lost at the look":  {"look", hangUp},
		"connection lost at the watch": {"watch", hangUp},
		"429 at the look":              {"look", refusal(429)},
		"429 at the watch":             {"watch", refusal(429)},
		"500":                          {"watch", refusal(500)},
		"503 at the look":              {"look", refusal(503)},
		"504":                          {"watch", refusal(504)},
		"401, a token that is rotated": {"look", refusal(401)},
		"410 as an answer":             {"watch", refusal(410)},
		"410 as an event":              {"watch", stream(`{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}` + "\n")},
		"watch ends":                   {"watch", stream("")},
		"watch breaks within an event": {"watch", stream(`{"type":"ADDED","object":{"metadata":`)},
		"watch breaks within a line":   {"watch", stream(`{"type":"ADDED","object":{"metadata":{}}}`)},
		"nonsense in the watch":        {"watch", stream("<html>\n")},
		"nonsense instead of a table":  {"look", stream("<html>\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t)
			a.set(unready, false)
			a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
				return kind == misbehave.kind && nth <= 2 && misbehave.how(w)
			}
			w, _ := a.waiter(settings())
			out := decide(t.Context(), w)
			a.await("watch", 1)
			a.await(misbehave.kind, 3)
			a.set(ready, true)
			requireCode(t, <-out, ExitPassed)
			if n := a.count("get"); n > 0 {
				t.Errorf("reads the whole Framework %d times besides", n)
			}
		})
	}
}

// After an API server has started, it may forbid permitted requests for a moment, and it may answer two requests differently.
func TestForbiddenForAMoment(t *testing.T) {
	a := newAPI(t)
	a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
		return kind == "look" && nth == 1 && refuseWith(w, 403, "no")
	}
	a.set(unready, false)
	w, _ := a.waiter(settings())
	out := decide(t.Context(), w)
	a.await("watch", 1)
	a.set(ready, true)
	requireCode(t, <-out, ExitPassed)
	requireKinds(t, a, "look", "get", "look", "watch", "ADDED")
}

// A missing permission has to be added by somebody. The barrier reports it at once, and gives up long before its deadline.
func TestForbidden(t *testing.T) {
	a := newAPI(t)
	a.refuse = func(_ string, _ int, w http.ResponseWriter) bool {
		return refuseWith(w, 403, `User "system:serviceaccount:default:default" cannot get resource "frameworks"`)
	}
	a.set(ready, true)
	s := settings()
	s.Timeout = time.Hour
	w, log := a.waiter(s)
	w.forgives = 300 * time.Millisecond
	got := <-decide(t.Context(), w)
	requireCode(t, got, ExitInvalid)
	for _, part := range []string{"default/train", "may not get frameworks: bind a Role", "system:serviceaccount:default:default"} {
		if !strings.Contains(got.err.Error(), part) {
			t.Errorf("the error is %v", got.err)
		}
	}
	if n := strings.Count(log.String(), "not permitted to read the framework"); n != 1 {
		t.Errorf("tells %d times that it is not permitted\n%s", n, log)
	}
	if a.count("get") < 2 {
		t.Error("it has not tried again")
	}
}

// If the deadline passes first, the exit code is the same.
func TestForbiddenUntilTheDeadline(t *testing.T) {
	a := newAPI(t)
	a.refuse = func(_ string, _ int, w http.ResponseWriter) bool { return refuseWith(w, 403, "no") }
	s := settings()
	s.Timeout = 100 * time.Millisecond
	w, _ := a.waiter(s)
	requireCode(t, <-decide(t.Context(), w), ExitInvalid)
}

// If a read was permitted before, the barrier keeps waiting: the API server may be starting.
func TestForbiddenAfterItWasSeen(t *testing.T) {
	a := newAPI(t)
	a.set(unready, false)
	w, _ := a.waiter(settings())
	w.forgives = 0
	a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
		return (kind == "watch" && nth == 1 || kind != "watch" && nth > 1 && nth < 5) && refuseWith(w, 403, "no")
	}
	out := decide(t.Context(), w)
	a.await("look", 5)
	a.set(ready, true)
	requireCode(t, <-out, ExitPassed)
}

// A missing resource is a missing Framework, but not once the Framework has been seen: the API server may be starting.
func TestMissingResource(t *testing.T) {
	a := newAPI(t)
	a.refuse = func(kind string, _ int, w http.ResponseWriter) bool { return refuseWith(w, 404, "no such resource") }
	w, _ := a.waiter(settings())
	requireBefore(t, <-decide(t.Context(), w), ExitInvalid)

	a = newAPI(t)
	a.ungated = true
	a.set(unready, false)
	a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
		return kind == "get" && nth == 2 && refuseWith(w, 404, "no such resource")
	}
	w, _ = a.waiter(settings())
	out := decide(t.Context(), w)
	a.await("get", 3)
	a.set(ready, false)
	requireBefore(t, <-out, ExitPassed)

	a = newAPI(t)
	a.set(ready, true)
	a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
		return kind == "look" && nth == 2 && refuseWith(w, 404, "no such resource") ||
			kind == "watch" && nth == 1 && refuseWith(w, 500, "no")
	}
	w, _ = a.waiter(settings())
	requireBefore(t, <-decide(t.Context(), w), ExitPassed)
}

func TestNotFound(t *testing.T) {
	a := newAPI(t)
	w, _ := a.waiter(settings())
	got := <-decide(t.Context(), w)
	requireCode(t, got, ExitInvalid)
	if !errors.Is(got.err, errNotFound) || !strings.Contains(got.err.Error(), "default/train") {
		t.Error(got.err)
	}
	requireKinds(t, a, "look")
}

// The last look decides at the deadline, whatever happened before.
func TestDeadline(t *testing.T) {
	down := func(kind string, _ int, w http.ResponseWriter) bool { return refuseWith(w, 503, "is down") }
	gone := func(kind string, _ int, w http.ResponseWriter) bool {
		return kind == "get" && notFound(w)
	}
	mute := func(kind string, _ int, w http.ResponseWriter) bool { return kind == "watch" && hang() }
	garbled := sampleWith(1, 1, map[string]any{
		"attemptStatus": map[string]any{"taskRoleStatuses": nil, "taskRoleStatusesCompressed": "AAAA"}})
	lastOnly := func(kind string, nth int, w http.ResponseWriter) bool {
		return !(kind == "get" && nth > 2) && refuseWith(w, 503, "is down")
	}
	for name, c := range map[string]struct {
		body    string
		ungated bool
		refuse  func(string, int, http.ResponseWriter) bool
		want    int
		says    string
	}{
		"not ready":                              {unready, false, nil, ExitTimeout, "train-worker-1 (AttemptPreparing on node-1"},
		"not ready, polling":                     {unready, true, nil, ExitTimeout, "waiting: Unschedulable: train-worker-1: 0/3"},
		"ready, but no gate was opened":          {ready, false, nil, ExitPassed, ""},
		"down all the time":                      {ready, false, down, ExitFailed, "503: is down"},
		"down until some time after the end":     {ready, false, lastOnly, ExitPassed, ""},
		"down until after the end, not ready":    {unready, false, lastOnly, ExitTimeout, "2 of 3"},
		"a status that cannot be decompressed":   {garbled, true, nil, ExitFailed, "taskRoleStatusesCompressed"},
		"no status":                              {sampleWith(1, 1, nil), false, nil, ExitTimeout, "0 of 2"},
		"no Tasks, and nobody to open the gate":  {sampleWith(0, 0, nil), false, nil, ExitPassed, ""},
		"a Framework that vanishes at the end":   {unready, false, gone, ExitInvalid, "does not exist"},
		"a watch that does not answer till then": {ready, false, mute, ExitPassed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, s := newAPI(t), settings()
			s.Timeout = 400 * time.Millisecond
			a.ungated, a.refuse = c.ungated, c.refuse
			a.set(c.body, false)
			w, _ := a.waiter(s)
			got := <-decide(t.Context(), w)
			requireCode(t, got, c.want)
			if c.says != "" && !strings.Contains(got.err.Error(), c.says) {
				t.Errorf("says %q, which lacks %q", got.err, c.says)
			}
		})
	}
}

func hang() bool {
	time.Sleep(600 * time.Millisecond)
	return false
}

func TestSignal(t *testing.T) {
	a := newAPI(t)
	a.set(unready, false)
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		ctx, cancel := context.WithCancelCause(t.Context())
		w, _ := a.waiter(settings())
		out := decide(ctx, w)
		a.await("watch", 1)
		cancel(Signaled(sig))
		requireCode(t, <-out, want)
	}
}

// If a server sends Retry-After, barriers wait at least that long, and return at different moments.
func TestComesBackWhenTold(t *testing.T) {
	told := &refusal{code: 429, after: 3 * time.Second}
	seen := map[time.Duration]bool{}
	for range 20 {
		d := longer(time.Second, told)
		if d < 3*time.Second || d > 6*time.Second {
			t.Errorf("comes back after %s", d)
		}
		seen[d] = true
	}
	if len(seen) < 10 {
		t.Errorf("comes back at %v", seen)
	}
	if d := longer(5*time.Second, told); d != 5*time.Second {
		t.Errorf("comes back after %s, sooner than it would have", d)
	}
	for header, want := range map[string]time.Duration{
		"3": 3 * time.Second, "600": 30 * time.Second, "9000000000": 30 * time.Second, "-1": 0, "soon": 0, "": 0,
	} {
		got := newRefusal(&http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {header}}, Body: http.NoBody})
		if got.after != want {
			t.Errorf("told %q, it waits for %s, want %s", header, got.after, want)
		}
	}
}

// Barriers that fail at the same moment retry at different ones, and none pauses for long.
func TestPausesDiffer(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 20 {
		pause := pauses{pauseLeast, pauseMost}.begin()
		for range 20 {
			d := pause.NextBackOff()
			if d < pauseLeast/2 || d > pauseMost*3/2 {
				t.Errorf("pauses for %s", d)
			}
			seen[d] = true
		}
	}
	if len(seen) < 300 {
		t.Errorf("%d pauses of 400 differ", len(seen))
	}
}
