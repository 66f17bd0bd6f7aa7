package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// requireRings requires that a watch learns of the next rows of a Framework, which another store may have to send again while the first
// one does not listen yet.
func requireRings(t *testing.T, changed <-chan struct{}, other *Store, namespace string) {
	t.Helper()
	n := 0
	require.Eventually(t, func() bool {
		n++
		ingested(t, other, []*pluginpb.Record{taskRecord(about(namespace, "f", 0), "worker", int32(n), int32(time.Now().UnixMilli()%1e9), 60, "n", 7)})
		select {
		case <-changed:
			return true
		case <-time.After(time.Second):
			return false
		}
	}, machine.Within(30*time.Second), time.Millisecond)
}

// quiet empties a channel that has rung, and reports whether it stays silent for a while.
func quiet(changed <-chan struct{}) bool {
	for len(changed) > 0 {
		<-changed
	}
	select {
	case <-changed:
		return false
	case <-time.After(3 * noticePause):
		return true
	}
}

// Servers with one PostgreSQL database are notified of each other's rows at once, also after their connections were ended. Watches of other
// namespaces or Frameworks are not.
func TestNotices(t *testing.T) {
	s := newTroubled(t, sharedServer(t))
	other := opened(t, s.server.Address(s.name, s.name))
	changed, stop := s.Watch(Watched{Namespace: "a", Name: "f"})
	defer stop()
	requireRings(t, changed, other, "a")
	require.Eventually(t, func() bool { return quiet(changed) }, machine.Within(20*time.Second), time.Millisecond)
	ingested(t, other, []*pluginpb.Record{taskRecord(about("b", "f", 0), "worker", 0, 0, 60, "n", 7)})
	require.True(t, quiet(changed), "these are the rows of another namespace")

	s.server.run(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", s.name)
	require.Eventually(t, func() bool { return other.Ready(t.Context()) == nil }, machine.Within(10*time.Second), 10*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := other.Ingest(t.Context(), "default", []*pluginpb.Record{taskRecord(about("b", "f", 0), "worker", 1, 0, 60, "n", 7)})
		return err == nil
	}, machine.Within(10*time.Second), 10*time.Millisecond)
	requireRings(t, changed, other, "a")
}

// A notice that names too many Frameworks, or that cannot be read, concerns all of them. A server's own rows notify once.
func TestReceivedNotices(t *testing.T) {
	s := &Store{}
	n := &notices{store: s, sender: "me", of: map[Watched]bool{}, due: make(chan struct{}, 1)}
	changed, stop := s.Watch(Watched{Namespace: "a"})
	defer stop()
	n.add(Watched{Namespace: "a", Name: "f", UID: "u"})
	one := n.take()
	for range 1000 {
		n.add(Watched{Namespace: "b", Name: fmt.Sprint(len(n.of)), UID: "u"})
	}
	many := n.take()
	require.Less(t, len(many), noticeBytes)
	for _, c := range []struct {
		text  string
		rings bool
	}{
		{string(one), false}, {string(many), false}, {`{"from":"you"}`, true}, {"garbage", true}, {"", true},
		{`{"from":"you","of":[{"Namespace":"a","Name":"f"}]}`, true}, {`{"from":"you","of":[{"Namespace":"b","Name":"f"}]}`, false},
	} {
		n.received([]byte(c.text))
		require.Equal(t, c.rings, len(changed) == 1, "%.100s", c.text)
		for len(changed) > 0 {
			<-changed
		}
	}
	n.sender = "another"
	n.received(many)
	require.Len(t, changed, 1)
}
