package store

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// seenAt is the first record of a Framework, which existed at that version.
func seenAt(name string, version int) *pluginpb.Record {
	r := frameworkRecord(about("prod", name, 0), 1, 0, nil)
	r.ResourceVersion = strconv.Itoa(version)
	return r
}

// listAt is a list of Frameworks with these names at a version.
func listAt(version int, names ...string) []*pluginpb.Record {
	var uids []string
	for _, name := range names {
		uids = append(uids, about("prod", name, 0).GetUid())
	}
	return records.Presence(uids, strconv.Itoa(version), start.AddDate(0, 0, 1))
}

func states(t *testing.T, s *Store) map[string]string {
	t.Helper()
	page, err := s.Frameworks(t.Context(), FrameworkQuery{Range: always, Limit: 1000})
	require.NoError(t, err)
	found := map[string]string{}
	for _, f := range page.Items {
		found[f.Name] = f.State
		require.True(t, f.DeletedBefore == nil || f.State == deleted, f.Name)
	}
	return found
}

// A Framework is deleted if any record shows that it existed at an earlier version than a list, and the list lacks it. Clocks do not
// matter: here, all records have the same time, and the lists the time of a day later.
func TestAbsentFramework(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		completed := seenAt("completed", 10)
		completed.GetFrameworkRecord().State, completed.GetFrameworkRecord().Completed = "Completed", after(60)
		unknown := seenAt("unknown", 10)
		unknown.ResourceVersion = ""
		task := taskRecord(about("prod", "only a task", 0), "w", 0, 0, 60, "n", 7)
		task.ResourceVersion = "19"
		ingested(t, s, []*pluginpb.Record{seenAt("gone", 10), seenAt("there", 10), seenAt("later", 30), completed, unknown, task})
		_, err := s.Ingest(t.Context(), "other", []*pluginpb.Record{seenAt("elsewhere", 10)})
		require.NoError(t, err)
		want := map[string]string{"gone": "Deleted", "completed": "Deleted", "there": "AttemptRunning", "later": "AttemptRunning",
			"unknown": "AttemptRunning", "only a task": "Deleted", "elsewhere": "AttemptRunning"}
		changed, stop := s.Watch(Watched{Namespace: "prod", Name: "gone"})
		defer stop()
		before := s.Counts()
		for range 2 {
			ingested(t, s, listAt(20, "there"))
			require.Equal(t, want, states(t, s))
		}
		require.Len(t, changed, 1)
		require.Equal(t, Counts{Stored: before.Stored + 1, Duplicates: before.Duplicates + 1, Refused: 0}, s.Counts())

		detail, err := s.Framework(t.Context(), "prod", "gone", "")
		require.NoError(t, err)
		require.Equal(t, start.AddDate(0, 0, 1), *detail.Framework.DeletedBefore)
		page, err := s.Frameworks(t.Context(), FrameworkQuery{Range: Range{Since: start.AddDate(0, 0, 2)}, Limit: 10, Name: "gone"})
		require.NoError(t, err)
		require.Empty(t, page.Items, "it no longer existed")

		seen := seenAt("gone", 15)
		seen.Key, seen.GetFrameworkRecord().Revision, seen.GetFrameworkRecord().State = "its deletion", 2, "Deleted"
		ingested(t, s, []*pluginpb.Record{seen})
		detail, err = s.Framework(t.Context(), "prod", "gone", "")
		require.NoError(t, err)
		require.Nil(t, detail.Framework.DeletedBefore, "the record of the deletion has come after all")
		require.Equal(t, "Deleted", detail.Framework.State)
	})
}

// A list without a version that can be compared closes nothing, and neither does a part of a list outside of its range.
func TestListsThatCloseNothing(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		ingested(t, s, []*pluginpb.Record{seenAt("f", 10)})
		for i, p := range []*pluginpb.PresenceRecord{
			{}, {ResourceVersion: "x"}, {ResourceVersion: "-20"}, {ResourceVersion: "99999999999999999999"}, {ResourceVersion: "10"},
			{ResourceVersion: "20", From: "uid-prod-g"}, {ResourceVersion: "20", Until: "uid-prod-f"}, {ResourceVersion: "20", From: "z", Until: "a"},
		} {
			ingested(t, s, []*pluginpb.Record{{Key: fmt.Sprint(i), Content: &pluginpb.Record_Presence{Presence: p}}})
			require.Equal(t, "AttemptRunning", states(t, s)["f"], "%v", p)
		}
	})
}

// For any order in which records and lists arrive, and any repetition, no Framework in the last list is closed, and in the end that list
// closes the others that no record reports as deleted.
func TestNoListClosesWhatIsThere(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 3))
			there, prefix := map[string]bool{}, fmt.Sprintf("s%d-", seed)
			var sent, last []*pluginpb.Record
			for version := range 40 {
				name := fmt.Sprint(prefix, version)
				switch random.IntN(3) {
				case 0:
					there[name] = true
					sent = append(sent, seenAt(name, 1+version))
				case 1:
					for gone := range there {
						delete(there, gone)
						break
					}
				default:
					sent = append(sent, listOf(there, 1+version)...)
				}
			}
			last = listOf(there, 100)
			sent = append(sent, sent...)
			random.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
			require.NotEmpty(t, sent)
			for len(sent) > 0 {
				n := 1 + random.IntN(len(sent))
				ingested(t, s, sent[:n])
				sent = sent[n:]
				for name, state := range states(t, s) {
					require.False(t, there[name] && state == deleted, "seed %d: %s is there", seed, name)
				}
			}
			ingested(t, s, last)
			for name, state := range states(t, s) {
				require.Equal(t, there[name], state != deleted, "seed %d: %s is %s", seed, name, state)
			}
			ingested(t, s, listOf(nil, 200)) // the next seed begins without any
		}
	})
}

func listOf(there map[string]bool, version int) []*pluginpb.Record {
	var names []string
	for name := range there {
		names = append(names, name)
	}
	return listAt(version, names...)
}
