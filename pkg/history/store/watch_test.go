package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A watcher is notified of stored rows that it watches, once for many rows, and of nothing after the end.
func TestWatch(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		rung := func(c <-chan struct{}) bool {
			select {
			case <-c:
				return true
			default:
				return false
			}
		}
		all, stopAll := s.Watch(Watched{})
		namespace, stopNamespace := s.Watch(Watched{Namespace: "a"})
		one, stopOne := s.Watch(Watched{Namespace: "a", Name: "f", UID: "uid-a-f"})
		other, stopOther := s.Watch(Watched{Namespace: "a", Name: "f", UID: "other"})
		defer stopAll()
		defer stopNamespace()
		defer stopOther()
		ingested(t, s, []*pluginpb.Record{taskRecord(about("a", "f", 0), "worker", 0, 0, 60, "n", 7), taskRecord(about("a", "f", 0), "worker", 1, 0, 60, "n", 7)})
		ingested(t, s, []*pluginpb.Record{taskRecord(about("b", "f", 0), "worker", 0, 0, 60, "n", 7)})
		require.True(t, rung(all) && rung(namespace) && rung(one))
		require.False(t, rung(all) || rung(namespace) || rung(one) || rung(other))
		require.NoError(t, s.SaveLog(t.Context(), NewLog{LogKey: LogKey{Cluster: "default", PodUID: "p", Container: "main"}, Role: "worker",
			Framework: about("a", "f", 0), State: historyapi.LogComplete, Time: time.Now()}))
		require.True(t, rung(one))
		stopOne()
		ingested(t, s, []*pluginpb.Record{taskRecord(about("a", "f", 0), "worker", 2, 0, 60, "n", 7)})
		require.False(t, rung(one))
		require.True(t, rung(namespace))
	})
}

// The end of a Framework is known from its newest record.
func TestEndOf(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		of := Watched{Namespace: "a", Name: "f"}
		_, err := s.EndOf(t.Context(), of)
		require.ErrorIs(t, err, ErrNotFound)
		ingested(t, s, []*pluginpb.Record{frameworkRecord(about("a", "f", 0), 1, 0, nil)})
		state, err := s.EndOf(t.Context(), of)
		require.NoError(t, err)
		require.Empty(t, state)
		ingested(t, s, []*pluginpb.Record{frameworkRecord(about("a", "f", 0), 2, 0, outcomeOf(7))})
		state, err = s.EndOf(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, "Completed", state)
	})
}
