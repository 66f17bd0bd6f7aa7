package store

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// benchRows is the number of attempts of Tasks that queries are measured with. The figures of docs/operations/history.md
// were measured with 1,000,000.
var benchRows = flag.Int("history-rows", 20_000, "attempts of Tasks for BenchmarkQueries")

// benchTask is attempt i of a Task of many: 100 Tasks in a Framework, 200 nodes, 50 namespaces, a fifth has failed; 30 days.
func benchTask(i, of int) *pluginpb.Record {
	n := i / 100
	f := about(fmt.Sprintf("team-%d", n%50), fmt.Sprintf("train-%d", n), 0)
	code := int32(0)
	if i%5 == 0 {
		code = int32(i % 7)
	}
	ended := -int(int64(of-i) * 30 * 86400 / int64(of))
	return taskRecord(f, "worker", int32(i%100), 0, ended, fmt.Sprintf("node-%d", i*7%200), code)
}

// benchStores are the databases that benchmarks measure, and the limits that they have to keep: attempts of Tasks in a second.
var benchStores = []struct {
	name   string
	create func(testing.TB) string
	limit  int
}{{"sqlite", newFile, 5000}, {"postgres", newPostgres, 3000}}

// BenchmarkIngest measures attempts of Tasks that four senders store as fast as they can, and beside it the floor: the same records, each
// unchanged in a row with its key.
func BenchmarkIngest(b *testing.B) {
	for _, database := range benchStores {
		for _, batch := range []int{1, 100, 500} {
			b.Run(fmt.Sprintf("%s/batch=%d", database.name, batch), func(b *testing.B) {
				s := opened(b, database.create(b))
				before := processorTime(b)
				b.ResetTimer()
				reportIngest(b, fill(b, s, b.N, batch))
				b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/attempt")
			})
		}
		b.Run(database.name+"/floor", func(b *testing.B) {
			s := opened(b, database.create(b))
			fillFloor(b, s, 0)
			b.ResetTimer()
			fillFloor(b, s, b.N)
			reportIngest(b, nil)
		})
	}
}

func reportIngest(b *testing.B, took []time.Duration) {
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
	if len(took) > 0 {
		b.ReportMetric(p99(took), "p99-ms")
	}
}

func p99(took []time.Duration) (ms float64) {
	slices.Sort(took)
	return float64(took[len(took)*99/100].Microseconds()) / 1000
}

// fillFloor stores rows of records that nothing is read from, 500 in a transaction.
func fillFloor(b testing.TB, s *Store, rows int) {
	const create = "CREATE TABLE IF NOT EXISTS floor (key %[1]s PRIMARY KEY, record %[1]s)"
	kind := map[string]string{sqlite.name: "BLOB", postgres.name: "BYTEA"}[s.dialect.name]
	_, err := s.writer.ExecContext(b.Context(), fmt.Sprintf(create, kind))
	require.NoError(b, err)
	for i := 0; i < rows; i += batchRecords {
		tx, err := s.writer.BeginTx(b.Context(), nil)
		require.NoError(b, err)
		w := newWriting(b.Context(), tx, s.dialect)
		var all [][]any
		for j := i; j < min(i+batchRecords, rows); j++ {
			r := benchTask(j, rows)
			record, err := proto.Marshal(r)
			require.NoError(b, err)
			key := digestOf(r.GetKey())
			all = append(all, []any{key[:], record})
		}
		require.NoError(b, w.insert(into{"floor", "key, record", ""}, all, nil))
		require.NoError(b, tx.Commit())
	}
}

// BenchmarkAcknowledgement measures how long an acknowledgement takes at half of the limit, in requests of 50 records.
func BenchmarkAcknowledgement(b *testing.B) {
	const batch = 50
	for _, database := range benchStores {
		b.Run(database.name, func(b *testing.B) {
			s := opened(b, database.create(b))
			pace := time.NewTicker(time.Second * batch * 2 / time.Duration(database.limit))
			defer pace.Stop()
			took := make([]time.Duration, b.N)
			var senders sync.WaitGroup
			for i := range b.N {
				<-pace.C
				senders.Go(func() {
					var records []*pluginpb.Record
					for j := range batch {
						records = append(records, benchTask(i*batch+j, b.N*batch))
					}
					begun := time.Now()
					if _, err := s.Ingest(b.Context(), "default", records); err != nil {
						b.Error(err)
					}
					took[i] = time.Since(begun)
				})
			}
			senders.Wait()
			b.ReportMetric(p99(took), "p99-ms")
		})
	}
}

// fill stores a number of attempts of Tasks from four senders, and returns how long the acknowledgements took.
func fill(b testing.TB, s *Store, rows, batch int) (took []time.Duration) {
	var senders sync.WaitGroup
	var lock sync.Mutex
	for sender := range 4 {
		senders.Go(func() {
			for i := sender * batch; i < rows; i += 4 * batch {
				var records []*pluginpb.Record
				for j := i; j < min(i+batch, rows); j++ {
					records = append(records, benchTask(j, rows))
				}
				begun := time.Now()
				if _, err := s.Ingest(b.Context(), "default", records); err != nil {
					b.Error(err)
				}
				lock.Lock()
				took = append(took, time.Since(begun))
				lock.Unlock()
			}
		})
	}
	senders.Wait()
	return took
}

// BenchmarkQueries measures the queries of users on many rows: go test -bench Queries -history-rows 1000000. The Framework "large" has half
// of the rows: 50 attempts.
func BenchmarkQueries(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchQueries(b, newFile) })
	b.Run("postgres", func(b *testing.B) { benchQueries(b, newPostgres) })
}

func benchQueries(b *testing.B, create func(testing.TB) string) {
	database := create(b)
	s := opened(b, database)
	begun := time.Now()
	fill(b, s, *benchRows/2, 500)
	fillLarge(b, s, *benchRows/2)
	size, err := s.Size(b.Context())
	require.NoError(b, err)
	fmt.Fprintf(os.Stderr, "%d rows in %.0f s, %d bytes for each\n", *benchRows, time.Since(begun).Seconds(), size/int64(*benchRows))
	benchEach(b, s)
}

func benchEach(b *testing.B, s *Store) {
	month := Range{Since: start.Add(-30*24*time.Hour - time.Hour/2)}
	code := int32(3)
	for name, query := range map[string]func() error{
		"frameworks of a namespace": func() error {
			_, err := s.Frameworks(b.Context(), FrameworkQuery{Namespace: "team-1", Range: month, Limit: 100})
			return err
		},
		"tasks of a namespace": func() error {
			_, err := s.Tasks(b.Context(), TaskQuery{Namespace: "team-1", Range: month, Limit: 100})
			return err
		},
		"tasks with a code": func() error {
			_, err := s.Tasks(b.Context(), TaskQuery{Code: &code, Range: month, Limit: 100})
			return err
		},
		"frameworks on a node": func() error {
			_, err := s.Frameworks(b.Context(), FrameworkQuery{Node: "node-7", Range: month, Limit: 100})
			return err
		},
		"one framework": func() error { _, err := s.Framework(b.Context(), "team-1", "large", ""); return err },
		"one framework's tasks": func() error {
			_, err := s.Tasks(b.Context(), TaskQuery{Namespace: "team-1", Name: "large", Attempt: new(int32(20)), Limit: 1000})
			return err
		},
		"failures by node": func() error {
			_, err := s.Failures(b.Context(), FailureQuery{By: "node", Range: Range{Since: month.Since, Until: start}})
			return err
		},
		"report by node":      func() error { _, err := s.Report(b.Context(), ReportQuery{By: "node", Range: month}); return err },
		"report by namespace": func() error { _, err := s.Report(b.Context(), ReportQuery{By: "namespace", Range: month}); return err },
		"report by code":      func() error { _, err := s.Report(b.Context(), ReportQuery{By: "code", Range: month}); return err },
	} {
		b.Run(name, func(b *testing.B) {
			before := processorTime(b)
			for b.Loop() {
				require.NoError(b, query())
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/query")
			b.ReportMetric((processorTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/query")
		})
	}
}

// processorTime returns the processor time of this process so far, which depends less on other work of the machine. It excludes PostgreSQL.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// fillLarge stores one Framework of 50 attempts.
func fillLarge(b testing.TB, s *Store, rows int) {
	tasks := max(rows/50, 1)
	for attempt := range int32(50) {
		f := about("team-1", "large", attempt)
		var records []*pluginpb.Record
		for i := range tasks {
			ended := int(attempt)*3600 - 29*86400
			records = append(records, taskRecord(f, "worker", int32(i), 0, ended, fmt.Sprintf("node-%d", i%200), int32(i%2)))
			if len(records) == 500 || i == tasks-1 {
				ingested(b, s, records)
				records = nil
			}
		}
		ingested(b, s, []*pluginpb.Record{attemptRecord(f, int(attempt)*3600-29*86400, 1, attempt < 49)})
	}
}
