package store

import (
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// life is a Framework of two attempts with a retried Task in the first, and a second Framework in another namespace.
func life() []*pluginpb.Record {
	first, second := about("prod", "train", 0), about("prod", "train", 1)
	other := labeled(about("dev", "eval", 0), map[string]string{"team": "b"})
	retried := taskRecord(first, "worker", 0, 0, 100, "node-a", -110)
	retried.GetTaskAttempt().Retry.Follows = true
	return []*pluginpb.Record{
		frameworkRecord(labeled(about("prod", "train", 0), map[string]string{"team": "a", "user": "ann"}), 1, 0, nil),
		retried,
		taskRecord(first, "worker", 0, 1, 200, "node-b", 7),
		taskRecord(first, "ps", 0, 0, 200, "node-b", 0),
		attemptRecord(first, 200, 7, true),
		happeningRecord(first, 150, "Rescaled"),
		taskRecord(second, "worker", 0, 0, 300, "node-a", 0),
		attemptRecord(second, 300, 0, false),
		frameworkRecord(labeled(about("prod", "train", 1), map[string]string{"team": "a", "user": "ann"}), 5, 0, outcomeOf(0)),
		frameworkRecord(other, 1, 10, outcomeOf(7)),
		taskRecord(other, "worker", 0, 0, 70, "node-a", 7),
		shadowRecord(first, "worker", 0, 1, 201, "tomorrow", 0, historyapi.ShadowOtherType, 7, outcomeOf(-110)),
		shadowRecord(first, "worker", 0, 1, 201, "", 300, historyapi.ShadowNoOpinion, 7, nil),
		shadowRecord(other, "worker", 0, 0, 71, "tomorrow", 0, historyapi.ShadowOtherType, 7, outcomeOf(-110)),
	}
}

// Records are stored once, for any order and any repetition; the answers are the same.
func TestExactlyOnceInAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("make history-databases runs it: SQLite is slow under the race detector")
	}
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		want := answers(t, ingested(t, opened(t, create(t)), life()))
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(seed, 1))
			records := append(life(), life()...)
			random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			s := opened(t, create(t))
			for len(records) > 0 {
				n := 1 + random.IntN(len(records))
				ingested(t, s, records[:n])
				records = records[n:]
			}
			require.Equal(t, want, answers(t, s), "seed %d", seed)
		}
	})
}

// ingested stores the records, and requires all keys.
func ingested(t testing.TB, s *Store, records []*pluginpb.Record) *Store {
	t.Helper()
	keys, err := s.Ingest(t.Context(), "default", records)
	require.NoError(t, err)
	require.Len(t, keys, len(records))
	return s
}

// answers asks everything, and returns it as text.
func answers(t testing.TB, s *Store) string {
	t.Helper()
	frameworks, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 100})
	require.NoError(t, err)
	all := []any{frameworks}
	for _, f := range frameworks.Items {
		detail, err := s.Framework(t.Context(), f.Namespace, f.Name, f.UID)
		require.NoError(t, err)
		tasks, err := s.Tasks(t.Context(), TaskQuery{Namespace: f.Namespace, Name: f.Name, UID: f.UID, Limit: 100, Details: true})
		require.NoError(t, err)
		// Attempts that ended at the same time are in the order of storage.
		slices.SortStableFunc(tasks.Items, func(a, b historyapi.TaskAttempt) int { return cmp.Compare(a.Pod, b.Pod) })
		one, err := s.Tasks(t.Context(), TaskQuery{Namespace: f.Namespace, Name: f.Name, UID: f.UID, Role: "worker", Index: new(int32(0)), Limit: 100, Details: true})
		require.NoError(t, err)
		all = append(all, detail, tasks, one)
	}
	shadow, err := s.Shadow(t.Context(), ShadowQuery{Range: always})
	require.NoError(t, err)
	all = append(all, shadow)
	for _, by := range []string{"namespace", "code", "node", "role", "rule", "label:team"} {
		for _, r := range []Range{always, {Since: start}} {
			report, err := s.Report(t.Context(), ReportQuery{By: by, Range: r})
			require.NoError(t, err)
			all = append(all, report)
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	require.NoError(t, err)
	return string(text)
}
