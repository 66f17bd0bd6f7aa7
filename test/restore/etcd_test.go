package restore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// aMinute is the promised limit for the end of a controller, and for the work of the next one.
var aMinute = machine.Within(time.Minute)

// A backup of etcd is restored while a controller runs. The controller ends within a minute with the reason, and the next one brings each
// Framework to its right end within another minute, whatever its state since the backup. No Task gets a second Pod beside its first.
func TestEtcdIsRestored(t *testing.T) {
	s := newStory(t)
	controller := startReplica(t)
	first := controller.now()
	restored := s.liveThrough()
	select {
	case <-first.Ended():
	case <-time.After(time.Until(restored.at.Add(aMinute))):
		t.Fatal("the controller has not noticed it within a minute")
	}
	requireSaysWhy(t, first)
	t.Logf("the controller ended after %s", first.EndedAt().Sub(restored.at).Round(10*time.Millisecond))
	s.await(aMinute, restored.ends)
	t.Logf("all was as it should be %s later", time.Since(first.EndedAt()).Round(10*time.Millisecond))
	s.requireGuarantees()
	require.Len(t, controller.ended(), 1, "the next controller has nothing to end for")
}

// The same with two controllers of which one leads. The leader may lose its lease while there is no API server, so it may take longer. The
// standby has seen the versions go back, too, and ends when it becomes the leader.
func TestEtcdIsRestoredForAPair(t *testing.T) {
	s := newStory(t)
	elected := []string{"--leader-elect", "--leader-elect-namespace=kube-system"}
	pair := []*replica{startReplica(t, elected...), startReplica(t, elected...)}
	restored := s.liveThrough()
	s.await(2*aMinute, restored.ends)
	t.Logf("all was as it should be after %s", time.Since(restored.at).Round(10*time.Millisecond))
	s.requireGuarantees()
	s.leaveToTheOther(pair)
	for _, r := range pair {
		for _, p := range r.ended() {
			if !p.EndedByItself() {
				continue
			}
			t.Logf("a controller ended after %s", p.EndedAt().Sub(restored.at).Round(10*time.Millisecond))
			if !strings.Contains(p.Text(), "the lease was lost") {
				requireSaysWhy(t, p)
			}
		}
	}
}

// leaveToTheOther ends the leader for good, and waits until the other one has done something new.
func (s *story) leaveToTheOther(pair []*replica) {
	s.t.Helper()
	var leader *replica
	clustertest.Eventually(s.t, patience, clustertest.Holds("one of them leads", func() bool {
		for _, r := range pair {
			if strings.Contains(r.now().Text(), "election: leading") {
				leader = r
			}
		}
		return leader != nil
	}))
	leader.retire()
	s.create("later", role(1, 0, "0s", 0))
	s.await(2*aMinute, map[string]func(*v1.Framework) bool{"later": succeeded})
}

// restore is the restore of a backup.
type restore struct {
	at   time.Time
	ends map[string]func(*v1.Framework) bool // expected end of each Framework since then
}

// liveThrough lets all lives continue until the backup is restored and users have begun to act again.
func (s *story) liveThrough() restore {
	s.t.Helper()
	for _, l := range lives {
		if l.spec != "" {
			s.create(l.name, l.spec)
		}
	}
	s.awaitEach(func(l life) func(*v1.Framework) bool { return l.atBackup })
	backup, err := kube.BackUp(s.t.Context())
	require.NoError(s.t, err)
	r := restore{ends: map[string]func(*v1.Framework) bool{}}
	for _, l := range lives {
		if r.ends[l.name] = l.after.end; l.after.end == nil {
			then, err := s.get(s.t.Context(), l.name)
			require.NoError(s.t, err)
			r.ends[l.name] = unchanged(then)
		}
	}
	s.act(func(l life) turn { return l.since })
	s.awaitEach(func(l life) func(*v1.Framework) bool { return l.since.end })
	s.manyVersions()
	s.requireGuarantees()

	require.NoError(s.t, backup.Restore(s.t.Context()))
	r.at = time.Now()
	s.record()
	s.act(func(l life) turn { return l.after })
	return r
}

func (s *story) act(which func(life) turn) {
	s.t.Helper()
	for _, l := range lives {
		if t := which(l); t.do != nil {
			t.do(s, l.name)
		}
	}
}

// awaitEach waits until each life with a condition meets it.
func (s *story) awaitEach(end func(life) func(*v1.Framework) bool) {
	s.t.Helper()
	ends := map[string]func(*v1.Framework) bool{}
	for _, l := range lives {
		if is := end(l); is != nil {
			ends[l.name] = is
		}
	}
	s.await(patience, ends)
}

func requireSaysWhy(t *testing.T, p *launch.Process) {
	t.Helper()
	const why = "the API server's storage was restored from a backup: its resource version went back from "
	if p.ExitCode() != 1 || !strings.Contains(p.Text(), why) {
		t.Errorf("a controller ended with code %d:\n%s", p.ExitCode(), p.Tail(4000))
	}
}
