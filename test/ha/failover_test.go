package ha

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// The leader is killed while it creates Pods. The other one continues in time, and no Pod is created twice.
func TestLeaderIsKilled(t *testing.T) {
	leader, standby := startPair(t, "")
	for round := range 3 {
		f := newFramework(t)
		f.awaitPods(60)
		leader.signal(syscall.SIGKILL)
		at := time.Now()
		f.awaitRunning()
		took := firstStatusWrite(t, standby.name).Received.Sub(at)
		t.Logf("round %d: %s from the kill to the first status write of the other one", round, took.Round(10*time.Millisecond))
		if took > longestFailover {
			t.Errorf("the fail-over took %s", took)
		}
		f.requireEachPodOnce()
		leader, standby = standby, startController(t, "")
		standby.awaitReady("standing by")
	}
}

// The leader is asked to end while it creates Pods. It completes its work in progress, and gives the lease back.
func TestLeaderIsTerminated(t *testing.T) {
	leader, standby := startPair(t, "")
	for round := range 2 {
		f := newFramework(t)
		f.awaitPods(60)
		leader.signal(syscall.SIGTERM)
		at := time.Now()
		leader.awaitEnd(longestHandover, 0)
		f.awaitRunning()
		took := firstStatusWrite(t, standby.name).Received.Sub(at)
		t.Logf("round %d: %s from SIGTERM to the first status write of the other one", round, took.Round(10*time.Millisecond))
		if took > longestHandover {
			t.Errorf("the handover took %s", took)
		}
		f.requireEachPodOnce()
		requireSilence(t, leader.name, taken(t, standby.name))
		leader, standby = standby, startController(t, "")
		standby.awaitReady("standing by")
	}
}

// The leader is paused while it creates Pods, and resumed when another one leads: it writes nothing more, and ends.
func TestLeaderIsPaused(t *testing.T) {
	leader, standby := startPair(t, "")
	f := newFramework(t)
	f.awaitPods(60)
	leader.signal(syscall.SIGSTOP)
	at := time.Now()
	standby.awaitReady("leading")
	time.Sleep(time.Until(at.Add(15 * time.Second)))
	leader.signal(syscall.SIGCONT)
	leader.awaitEnd(longestHandover, 1)
	f.awaitRunning()
	f.requireEachPodOnce()
	requireSilence(t, leader.name, taken(t, standby.name))
	requireSaysWhy(t, leader)
}

// The leader loses its network while it creates Pods. It ends before the other one begins.
func TestLeaderIsCutOff(t *testing.T) {
	road, err := proxy.Listen(kube.Config.Host)
	require.NoError(t, err)
	t.Cleanup(road.Close)
	leader, standby := startPair(t, road.URL())
	f := newFramework(t)
	f.awaitPods(60)
	road.Drop()
	at := time.Now()
	leader.eventually("it is alive, and not ready", func() bool {
		alive, _ := leader.Get("/healthz")
		ready, body := leader.Get("/readyz")
		return alive == http.StatusOK && ready == http.StatusServiceUnavailable && strings.Contains(body, "[-]leader failed")
	})
	leader.awaitEnd(longestFailover, 1)
	f.awaitRunning()
	begins := taken(t, standby.name)
	if margin := begins.Sub(leader.EndedAt()); margin <= 0 {
		t.Errorf("the leader has ended %s after the other one took the lease", -margin)
	} else {
		t.Logf("the leader ended after %s, and %s before the other one took the lease",
			leader.EndedAt().Sub(at).Round(10*time.Millisecond), margin.Round(10*time.Millisecond))
	}
	f.requireEachPodOnce()
	requireSilence(t, leader.name, begins)
	requireSaysWhy(t, leader)
}

// A new version is rolled out as a Deployment does it: a third controller is started, and when it is ready the leader is asked to end. The
// work does not pause for longer than a fail-over.
func TestRollingUpdate(t *testing.T) {
	leader, standby := startPair(t, "")
	f := newFramework(t)
	f.awaitPods(30)
	third := startController(t, "")
	third.awaitReady("standing by")
	g := newFramework(t)
	g.awaitPods(30)
	leader.signal(syscall.SIGTERM)
	leader.awaitEnd(longestHandover, 0)
	f.awaitRunning()
	g.awaitRunning()
	all := writes(t)
	end, _ := last(all, func(w write) bool { return w.ofWork() && w.by() == leader.name })
	begin, ok := first(all, func(w write) bool { return w.ofWork() && (w.by() == standby.name || w.by() == third.name) })
	if pause := begin.Received.Sub(end.Answered); !ok || pause > longestHandover {
		t.Errorf("the pause was %s (%t)", pause, ok)
	} else {
		t.Logf("the pause between the writes of the two was %s", pause.Round(10*time.Millisecond))
	}
	f.requireEachPodOnce()
	g.requireEachPodOnce()
}

// firstStatusWrite returns the first status write of a controller.
func firstStatusWrite(t *testing.T, name string) write {
	t.Helper()
	w, ok := first(writes(t), func(w write) bool {
		return w.by() == name && w.is("update", "frameworks/status") && w.done()
	})
	if !ok {
		t.Fatalf("%s has written no status", name)
	}
	return w
}

// taken is when a controller took the lease; it need not have known at once.
func taken(t *testing.T, name string) time.Time {
	t.Helper()
	w, ok := first(writes(t), func(w write) bool { return w.by() == name && w.is("update", "leases") && w.done() })
	if !ok {
		t.Fatalf("%s has not taken the lease", name)
	}
	return w.Received
}

// requireSilence requires that no request of a controller has arrived since then. Requests that arrived before may have been answered
// later.
func requireSilence(t *testing.T, name string, since time.Time) {
	t.Helper()
	n := 0
	for _, w := range writes(t) {
		switch {
		case w.by() != name:
		case w.Received.After(since):
			t.Errorf("%s has sent %s %s %s after another one took the lease", name, w.Received.Sub(since), w.Verb, w.RequestURI)
		case w.ofWork():
			n++
		}
	}
	if n == 0 {
		t.Errorf("%s has never written anything, so this shows nothing", name)
	}
}

func requireSaysWhy(t *testing.T, p *process) {
	t.Helper()
	for _, want := range []string{
		"[ERROR] frameworkcontroller.election: the lease was lost", "frameworkcontroller: the lease was lost: ",
	} {
		if !strings.Contains(p.Text(), want) {
			t.Errorf("the log of %s does not say %q", p.name, want)
		}
	}
}
