package barrier

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// ordered is a Framework whose servers start after its workers run, and whose clients start after the success of both. Its
// gates are in JSON; empty for a controller that has none.
func ordered(workers []string, gates string) string {
	var f map[string]any
	json.Unmarshal([]byte(sample([]string{"10.0.0.1"}, workers)), &f)
	spec := f["spec"].(map[string]any)
	roles := spec["taskRoles"].([]any)
	roles[0].(map[string]any)["startAfter"] = []any{map[string]any{"role": "worker"}}
	spec["taskRoles"] = append(roles, map[string]any{"name": "client", "taskNumber": 3, "startAfter": []any{
		map[string]any{"role": "server", "when": "Succeeded"}, map[string]any{"role": "worker", "when": "Succeeded"}}})
	status := f["status"].(map[string]any)
	attempt := status["attemptStatus"].(map[string]any)
	attempt["taskRoleStatuses"] = append(attempt["taskRoleStatuses"].([]any), roleStatus("client", []string{"", "", ""}))
	if gates != "" {
		status["gates"] = json.RawMessage(gates)
	}
	text, _ := json.Marshal(f)
	return string(text)
}

var two = []string{"10.0.0.2", "10.0.0.3"}

const (
	closedGates = `{"revision": "0_cm/1", "created": ["server"]}`
	otherOpens  = `{"revision": "0_cm/2", "created": ["server"], "open": ["other"]}`
	roleOpens   = `{"revision": "0_cm/3", "created": ["server"], "open": ["other", "server"]}`
)

func ofRole(role string) Settings {
	s := settings()
	s.OwnRole = role
	return s
}

// A role that starts after others is held until its gate opens, though every Task has an address. It hears of each opening
// of a role, and of nothing else.
func TestWaitsForTheGateOfItsRole(t *testing.T) {
	a := newAPI(t)
	a.set(ordered(two, closedGates), true)
	w, log := a.waiter(ofRole("server"))
	out := decide(t.Context(), w)
	a.await("watch", 2)
	for range 3 { // nothing has opened
		a.set(ordered(two, closedGates), true)
	}
	a.set(ordered(two, otherOpens), true)
	a.await("watch", 3)
	a.set(ordered(two, roleOpens), true)
	requireBefore(t, <-out, ExitPassed)
	requireKinds(t, a, "look", "watch", "ADDED", "watch", "ADDED", "watch", "ADDED")
	if want := "metadata.name=train,status.gates.revision!=0_cm/2"; a.selector != want {
		t.Errorf("selects %s, want %s", a.selector, want)
	}
	if said := "role server may not start yet, because its startAfter requires that role worker is Running"; strings.Count(log.String(), said) != 1 {
		t.Errorf("does not say once %q:\n%s", said, log)
	}
}

// The other roles pass as soon as all Tasks have an address, except for Tasks whose Pods come later.
func TestOtherRolesDoNotWait(t *testing.T) {
	for _, role := range []string{"worker", "", "nobody"} {
		a := newAPI(t)
		a.set(ordered(two, closedGates), true)
		w, _ := a.waiter(ofRole(role))
		got := <-decide(t.Context(), w)
		requireBefore(t, got, ExitPassed)
		requireKinds(t, a, "look", "watch", "ADDED")
		if names := roleNames(got.framework.peers()); !reflect.DeepEqual(names, []string{"worker", "server"}) {
			t.Errorf("hands over the addresses of %v", names)
		}
	}
}

func roleNames(roles []role) (out []string) {
	for _, r := range roles {
		out = append(out, r.name)
	}
	return out
}

// Roles held back count once their Pods may be created, and under a controller that creates all Pods at once.
func TestReadyRuleOfHeldRoles(t *testing.T) {
	for gates, want := range map[string]counts{
		closedGates: {3, 3},
		`{"revision": "0_cm/4", "created": ["client", "server"]}`: {3, 6},
		`{}`: {2, 2}, // the server's Pods are not created, either
		"":   {3, 6},
	} {
		if got := parse(t, ordered(two, gates)).count(); got != want {
			t.Errorf("with gates %q: %+v, want %+v", gates, got, want)
		}
	}
}

// An address that is lost while the role waits is waited for again.
func TestAddressIsLostMeanwhile(t *testing.T) {
	a := newAPI(t)
	a.set(ordered(two, closedGates), true)
	w, _ := a.waiter(ofRole("server"))
	out := decide(t.Context(), w)
	a.await("watch", 2)
	lost := []string{"10.0.0.2", ""}
	a.set(ordered(lost, roleOpens), false)
	a.await("watch", 3)
	a.set(ordered(two, roleOpens), true)
	requireBefore(t, <-out, ExitPassed)
}

// Gates opened for one attempt do not apply to a Pod of another.
func TestGatesOfAnotherAttempt(t *testing.T) {
	w, _ := newAPI(t).waiter(ofRole("server"))
	next := strings.ReplaceAll(ordered(two, roleOpens), `"instanceUID":"0_cm"`, `"instanceUID":"1_cm"`)
	if w.mayStart(parse(t, next)) || !w.mayStart(parse(t, ordered(two, roleOpens))) {
		t.Error("takes the gates of another attempt for its own")
	}
}

// Under a controller that does not support gates of roles, the barrier warns, and waits. It continues after an upgrade of the controller.
func TestControllerIsOlderThanStartAfter(t *testing.T) {
	a := newAPI(t)
	all := func(gates string) string { // that controller has created the clients, too
		return strings.ReplaceAll(ordered(two, gates), `"podIP":null`, `"podIP":"10.0.0.9"`)
	}
	a.set(all(""), true)
	w, log := a.waiter(ofRole("server"))
	out := decide(t.Context(), w)
	a.await("watch", 2)
	if want := "metadata.name=train,status.gates.revision!="; a.selector != want {
		t.Errorf("selects %s, want %s", a.selector, want)
	}
	for start := time.Now(); !strings.Contains(log.String(), "its controller is older than startAfter, and must be upgraded"); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > 5*time.Second {
			t.Fatalf("does not say what it waits for:\n%s", log)
		}
	}
	a.set(all(`{"revision": "0_cm/1", "created": ["client", "server"], "open": ["server"]}`), true)
	requireBefore(t, <-out, ExitPassed)
}

// Where gates of roles cannot be selected on, it polls, and still waits for its turn.
func TestPollsForTheGateOfItsRole(t *testing.T) {
	a := newAPI(t)
	a.refuse = func(kind string, nth int, w http.ResponseWriter) bool {
		return kind == "watch" && nth%2 == 0 && refuseWith(w, 400, `field label not supported: status.gates.revision`)
	}
	a.set(ordered(two, closedGates), true)
	w, _ := a.waiter(ofRole("server"))
	out := decide(t.Context(), w)
	a.await("get", 1)
	a.set(ordered(two, roleOpens), true)
	requireBefore(t, <-out, ExitPassed)
}

// At the deadline, the barrier names the role that waits, and the reason.
func TestDeadlineOfARole(t *testing.T) {
	for gates, want := range map[string]string{
		closedGates: "role server may not start yet, because its startAfter requires that role worker is Running",
		"":          "its controller is older than startAfter, and must be upgraded",
	} {
		a := newAPI(t)
		a.set(strings.ReplaceAll(ordered(two, gates), `"podIP":null`, `"podIP":"10.0.0.9"`), true)
		s := ofRole("server")
		s.Timeout = 300 * time.Millisecond
		w, _ := a.waiter(s)
		f, code, err := w.decide(context.Background())
		if f != nil || code != ExitTimeout || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ends with %d, %v; want %q", code, err, want)
		}
	}
}
