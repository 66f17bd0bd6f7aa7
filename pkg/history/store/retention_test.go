package store

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// retained opens a store with limits, that is closed with the test.
func retained(t *testing.T, database string, retain time.Duration, bytes int64) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Database: database, Retain: retain, RetainBytes: bytes, Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// old is a Framework that ended `ended` seconds after the start, with rows in every table.
func old(name string, ended int) []*pluginpb.Record {
	f := labeled(about("prod", name, 0), map[string]string{"team": "a"})
	return []*pluginpb.Record{frameworkRecord(f, 1, ended-60, outcomeOf(7)), taskRecord(f, "worker", 0, 0, ended, "node", 7),
		verdictRecord(f, "worker", 0, 0, ended, "node", 7), attemptRecord(f, ended, 7, false), happeningRecord(f, ended, "Rescaled"),
		shadowRecord(f, "worker", 0, 0, ended, "tomorrow", 0, historyapi.ShadowOtherType, 7, outcomeOf(-110))}
}

// rowsOf counts the rows about Frameworks.
func rowsOf(t *testing.T, s *Store) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for _, table := range []string{"framework", "label", "framework_attempt", "task_attempt", "happening", "usage", "log", "log_chunk", "verdict", "shadow_verdict", "content_use"} {
		var n int
		require.NoError(t, s.readers.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		rows[table] = n
	}
	return rows
}

func names(t *testing.T, s *Store) (names []string) {
	t.Helper()
	page, err := s.Frameworks(t.Context(), FrameworkQuery{Limit: 1000})
	require.NoError(t, err)
	for _, f := range page.Items {
		names = append(names, f.Name)
	}
	return names
}

const day = 24 * 3600

// A Framework is deleted with all its rows once its newest record is older than the limit; the others are unchanged.
func TestExpireByAge(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := retained(t, create(t), 10*24*time.Hour, 0)
		kept := append(life(), old("young", -9*day)...)
		want := answers(t, ingested(t, opened(t, create(t)), kept))
		ingested(t, s, kept)
		rows := rowsOf(t, s)
		ingested(t, s, append(old("old", -11*day), old("older", -50*day)...))
		// It began long ago, and its newest record is young.
		ingested(t, s, old("long", -20*day))
		ingested(t, s, []*pluginpb.Record{happeningRecord(about("prod", "long", 0), -5*day, "Rescaled")})

		n, err := s.Expire(t.Context(), start)
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.Equal(t, []string{"eval", "train", "young", "long"}, names(t, s))

		n, err = s.Expire(t.Context(), start.Add(6*24*time.Hour))
		require.NoError(t, err)
		require.Equal(t, 2, n) // young and long
		require.Equal(t, []string{"eval", "train"}, names(t, s))
		ingested(t, s, old("young", -9*day))
		require.Equal(t, rows, rowsOf(t, s))
		require.Equal(t, want, answers(t, s))
	})
}

// Expire deletes a Framework with more rows than one transaction deletes.
func TestExpireLarge(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := retained(t, create(t), time.Hour, 0)
		var records []*pluginpb.Record
		for i := range int32(deleteRows + 10) {
			records = append(records, taskRecord(about("prod", "large", 0), "worker", i, 0, -2*day, "node", 7))
		}
		ingested(t, s, records)
		ingested(t, s, old("kept", 0))
		saved(t, s, logOf(about("prod", "kept", 0), 0, 0, "main", "text\n"))
		_, err := s.Expire(t.Context(), start)
		require.NoError(t, err)
		for table, rows := range rowsOf(t, s) {
			require.Equal(t, 1, rows, table)
		}
		require.EqualValues(t, 1, count(t, s, "content"))
	})
}

// Beyond the limit of bytes the Frameworks with the oldest records go, and the file shrinks.
func TestExpireByBytes(t *testing.T) {
	const limit = 1 << 20
	s := retained(t, newFile(t), 0, limit)
	for i := range 30 {
		var records []*pluginpb.Record
		for task := int32(1); task < 100; task++ {
			records = append(records, taskRecord(about("prod", fmt.Sprintf("f%02d", i), 0), "worker", task, 0, i*3600-60, "node", 7))
		}
		ingested(t, s, append(records, old(fmt.Sprintf("f%02d", i), i*3600)...))
	}
	before, err := s.Size(t.Context())
	require.NoError(t, err)
	require.Greater(t, before, int64(limit))
	n, err := s.Expire(t.Context(), start)
	require.NoError(t, err)
	require.Greater(t, n, 0)
	require.Less(t, n, 30)
	size, err := s.Size(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, size, int64(limit))
	require.Greater(t, size, int64(limit)*3/4, "more than needed is gone")
	var want []string
	for i := 29; i >= n; i-- {
		want = append(want, fmt.Sprintf("f%02d", i))
	}
	require.Equal(t, want, names(t, s))
	require.Equal(t, (30-n)*100, rowsOf(t, s)["task_attempt"])
	var free int
	require.NoError(t, s.readers.QueryRowContext(t.Context(), "SELECT freelist_count FROM pragma_freelist_count").Scan(&free))
	require.Zero(t, free)

	n, err = s.Expire(t.Context(), start)
	require.NoError(t, err)
	require.Zero(t, n)
}

// In PostgreSQL, whose size does not shrink, the oldest Frameworks are deleted by the estimated size of the rows, once.
func TestExpireByBytesOfPostgres(t *testing.T) {
	database := newPostgres(t)
	s := opened(t, database)
	for i := range 30 {
		var records []*pluginpb.Record
		for task := int32(1); task < 200; task++ {
			records = append(records, taskRecord(about("prod", fmt.Sprintf("f%02d", i), 0), "worker", task, 0, i*3600-60, "node", 7))
		}
		ingested(t, s, append(records, old(fmt.Sprintf("f%02d", i), i*3600)...))
	}
	size, err := s.Size(t.Context())
	require.NoError(t, err)
	limited := retained(t, database, 0, size*3/4)
	n, err := limited.Expire(t.Context(), start)
	require.NoError(t, err)
	require.InDelta(t, 30/4, n, 3)
	left := names(t, s)
	require.Len(t, left, 30-n)
	require.Equal(t, "f29", left[0])

	n, err = limited.Expire(t.Context(), start)
	require.NoError(t, err)
	require.Zero(t, n)
	within := retained(t, database, 0, 2*size)
	n, err = within.Expire(t.Context(), start)
	require.NoError(t, err)
	require.Zero(t, n)
}

// noise is JSON that cannot be compressed.
func noise(random *rand.Rand, bytes int) string {
	text := make([]byte, bytes)
	for i := range text {
		text[i] = byte('!' + 2 + random.IntN(57)) // without quotes and backslashes
	}
	return `"` + string(text) + `"`
}

// A content is deleted with the last Framework that refers to it, so that its bytes count as that Framework's: beyond the limit, no more
// Frameworks are deleted than needed.
func TestExpireByBytesOfContents(t *testing.T) {
	const frameworks, limit = 30, 1 << 20
	s, random := retained(t, newFile(t), 0, limit), rand.New(rand.NewPCG(1, 2))
	shared, sharedDigest := objectRecord(about("prod", "f00", 0), noise(random, 50_000))
	for i := range frameworks {
		records := old(fmt.Sprintf("f%02d", i), i*3600)
		object, digest := objectRecord(records[0].Framework, noise(random, 120_000))
		records[0].GetFrameworkRecord().ObjectDigest, records[1].GetTaskAttempt().ObjectDigest = digest, sharedDigest
		ingested(t, s, append(records, object, shared))
	}
	n, err := s.Expire(t.Context(), time.Now())
	require.NoError(t, err)
	size, err := s.Size(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, size, int64(limit))
	require.Greater(t, size, int64(limit)*3/4, "more than needed is gone")
	require.Len(t, names(t, s), frameworks-n)
	require.EqualValues(t, 2*(frameworks-n)+1, count(t, s, "content"), "an object and a question for each Framework, and the Pod that they share")
	_, err = s.TaskObject(t.Context(), TaskObject{Namespace: "prod", Name: "f29", Role: "worker"})
	require.NoError(t, err)
	days := func(table string) (first int64) {
		require.NoError(t, s.readers.QueryRowContext(t.Context(), "SELECT MIN(day) FROM "+table).Scan(&first))
		return first
	}
	require.Equal(t, []int64{days("usage"), days("usage")}, []int64{days("node_usage"), days("outcome_count")}, "sums of days that are gone")

	s.options.RetainBytes = 1
	_, err = s.Expire(t.Context(), time.Now())
	require.NoError(t, err)
	require.Empty(t, names(t, s))
	require.Zero(t, count(t, s, "content"))
}

// A record that arrives while its Framework is deleted is stored with its Framework, or the Framework is spared: no row is left without a
// Framework. SQLite would reuse the number of a deleted Framework for another one.
func TestRecordsDuringExpire(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := retained(t, create(t), time.Hour, 0)
		f := about("prod", "large", 0)
		for round := range 5 {
			var records []*pluginpb.Record
			for i := range int32(2 * deleteRows) {
				records = append(records, taskRecord(f, "worker", i, int32(round), -2*day, "node", 7))
			}
			ingested(t, s, records)
			var writer sync.WaitGroup
			writer.Go(func() {
				for i := range int32(20) {
					_, err := s.Ingest(t.Context(), "default", []*pluginpb.Record{
						taskRecord(f, "late", i, int32(round), -2*day, "node", 7), happeningRecord(f, -2*day+int(i), "Rescaled")})
					assert.NoError(t, err)
				}
			})
			_, err := s.Expire(t.Context(), start)
			require.NoError(t, err)
			writer.Wait()
			for _, table := range []string{"task_attempt", "happening", "usage", "label", "content_use", "log", "verdict", "shadow_verdict"} {
				var orphans int
				require.NoError(t, s.readers.QueryRowContext(t.Context(),
					"SELECT count(*) FROM "+table+" t LEFT JOIN framework f ON f.id = t.fw WHERE f.id IS NULL").Scan(&orphans))
				require.Zero(t, orphans, table)
			}
		}
	})
}

// A Framework that gets a record between the choice and its deletion is young, and stays.
func TestYoungAgain(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := retained(t, create(t), time.Hour, 0)
		ingested(t, s, old("train", -2*day))
		var o oldest
		require.NoError(t, s.readers.QueryRowContext(t.Context(), "SELECT id, updated FROM framework").Scan(&o.fw, &o.updated))
		ingested(t, s, []*pluginpb.Record{happeningRecord(about("prod", "train", 0), 0, "Rescaled")})
		before := rowsOf(t, s)
		gone, err := s.deleteFramework(t.Context(), o)
		require.NoError(t, err)
		require.False(t, gone)
		require.Equal(t, before, rowsOf(t, s))
	})
}
