package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// logOf is the whole log of a container that wrote these lines, one a second from the start on.
func logOf(f *pluginpb.Framework, index, attempt int32, container string, lines ...string) NewLog {
	return keptLog(f, index, attempt, container, logs.Limits{Tail: math.MaxInt64}, 0, lines...)
}

func keptLog(f *pluginpb.Framework, index, attempt int32, container string, limits logs.Limits, from int, lines ...string) NewLog {
	k := logs.NewKept(limits, nil)
	for i, l := range lines {
		_ = k.Add(logs.Line{Time: start.Add(time.Duration(from+i) * time.Second).UnixNano(), Text: []byte(l)})
	}
	l := NewLog{LogKey: LogKey{Cluster: "default", PodUID: fmt.Sprintf("pod-%s-%d-%d-%d", f.Uid, f.AttemptId, index, attempt), Container: container},
		Framework: f, Role: "worker", Index: index, TaskAttempt: attempt, Pod: fmt.Sprintf("%s-worker-%d", f.Name, index),
		State: historyapi.LogComplete, Parts: k.Parts(nil), Time: start}
	if strings.HasPrefix(container, "init") {
		l.Init = true
	} else {
		l.Position = 1
	}
	return l
}

func saved(t testing.TB, s *Store, all ...NewLog) {
	t.Helper()
	for _, l := range all {
		require.NoError(t, s.SaveLog(t.Context(), l))
	}
}

func ofWorker(index int32) TaskLogQuery {
	return TaskLogQuery{Namespace: "prod", Name: "train", Role: "worker", Index: index}
}

// logText returns the text of a log, or the error.
func logText(t testing.TB, s *Store, q TaskLogQuery) string {
	t.Helper()
	l, err := s.TaskLog(t.Context(), q)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	require.NoError(t, logs.View{}.Write(&b, l.Text(t.Context())))
	return b.String()
}

// A log is found by the attempts of Framework and Task, its container, and its start; without them it is the last of the main one.
func TestTaskLog(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		first, second := about("prod", "train", 0), about("prod", "train", 1)
		again := logOf(first, 0, 1, "main", "second start\n")
		again.Start = 1
		saved(t, s, logOf(first, 0, 0, "main", "a\n"), logOf(first, 0, 1, "main", "first start\n"), again, logOf(first, 0, 1, "init", "i\n"),
			logOf(first, 0, 1, "side", "\xff\x00 side"), logOf(second, 1, 0, "main", "of another Task\n"))
		ingested(t, s, []*pluginpb.Record{taskRecord(second, "worker", 0, 0, 60, "node", 7)})
		failed := logOf(first, 2, 0, "main")
		failed.State, failed.Error = historyapi.LogNone, "the kubelet is away"
		saved(t, s, failed)

		q := ofWorker(0)
		require.Contains(t, logText(t, s, q), "no log was kept of attempt 0 of Task worker-0 in attempt 1 of the Framework")
		q.Attempt = new(int32(0))
		require.Equal(t, "second start\n", logText(t, s, q))
		q.Previous = true
		require.Equal(t, "first start\n", logText(t, s, q))
		q.Container, q.Previous = "side", false
		require.Equal(t, "\xff\x00 side", logText(t, s, q))
		q.Previous = true
		require.Contains(t, logText(t, s, q), "was not started again")
		q.Container, q.Previous, q.TaskAttempt = "", false, new(int32(0))
		require.Equal(t, "a\n", logText(t, s, q))
		q.TaskAttempt = new(int32(7))
		require.Equal(t, "no such attempt of Task worker-0 in the history: attempt 0 of the Framework: attempt 7 of the Task", logText(t, s, q))
		require.Contains(t, logText(t, s, ofWorker(2)), "the kubelet is away")
		q = ofWorker(1)
		q.Name = "none"
		require.Equal(t, ErrNotFound.Error(), logText(t, s, q))

		page, err := s.Logs(t.Context(), LogQuery{Namespace: "prod", Name: "train", Limit: 4})
		require.NoError(t, err)
		var all []string
		for {
			for _, l := range page.Items {
				all = append(all, fmt.Sprint(l.FrameworkAttempt, l.Index, l.Attempt, " ", l.Container, l.Init, l.Previous, l.Bytes, " ", l.State))
			}
			if page.Next == "" {
				break
			}
			page, err = s.Logs(t.Context(), LogQuery{Namespace: "prod", Name: "train", Limit: 4, After: page.Next})
			require.NoError(t, err)
		}
		require.Equal(t, []string{"1 1 0 mainfalse false 16 complete", "0 2 0 mainfalse false 0 none", "0 0 1 sidefalse false 7 complete",
			"0 0 1 inittrue false 2 complete", "0 0 1 mainfalse false 13 complete", "0 0 1 mainfalse true 12 complete",
			"0 0 0 mainfalse false 2 complete"}, all)
	})
}

// A log that is collected again is stored once, and a complete or longer one stays.
func TestLogIsStoredOnce(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		f := about("prod", "train", 0)
		with := func(state string, lines ...string) NewLog {
			l := logOf(f, 0, 0, "main", lines...)
			l.State = state
			return l
		}
		for i, step := range []struct {
			new  NewLog
			want string
		}{
			{with(historyapi.LogReading), ""},
			{with(historyapi.LogReading, "a\n", "b\n"), "a\nb\n"},
			{with(historyapi.LogReading), "a\nb\n"},
			{with(historyapi.LogCut, "a\n"), "a\n"},
			{with(historyapi.LogCut, "a\n", "b\n", "c\n"), "a\nb\nc\n"},
			{with(historyapi.LogNone), "a\nb\nc\n"},
			{with(historyapi.LogComplete, "a\n", "d\n"), "a\nd\n"},
			{with(historyapi.LogComplete, "later, and longer\n"), "a\nd\n"},
			{with(historyapi.LogCut, "much longer than that\n"), "a\nd\n"},
		} {
			saved(t, s, step.new)
			require.Equal(t, step.want, logText(t, s, ofWorker(0)), i)
			require.Equal(t, 1, rowsOf(t, s)["log"])
		}
		complete, err := s.LogComplete(t.Context(), with("").LogKey)
		require.NoError(t, err)
		require.True(t, complete)
		complete, err = s.LogComplete(t.Context(), LogKey{})
		require.NoError(t, err)
		require.False(t, complete)
	})
}

// The lines nearest to a time, from all Tasks, are returned in the order of time.
func TestAround(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		f := about("prod", "train", 3)
		random := rand.New(rand.NewPCG(1, 2))
		for index := range int32(5) {
			var lines []string
			for second := range 600 {
				noise := make([]byte, 400)
				for i := range noise {
					noise[i] = byte('a' + random.IntN(26))
				}
				lines = append(lines, fmt.Sprintf("%d at %d %s\n", index, second, noise))
			}
			saved(t, s, logOf(f, index, 0, "main", lines...))
		}
		q := AroundQuery{Namespace: "prod", Name: "train", Time: start.Add(300 * time.Second), Window: 2 * time.Second, Limit: 1000}
		page, err := s.Around(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, page.Items, 25)
		for i, l := range page.Items {
			require.Equal(t, start.Add(time.Duration(298+i/5)*time.Second), l.Time)
			require.EqualValues(t, i%5, l.Index)
			require.True(t, strings.HasPrefix(l.Text, fmt.Sprintf("%d at %d ", i%5, 298+i/5)), l.Text)
		}
		q.Limit = 5
		page, err = s.Around(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, page.Items, 5)
		for _, l := range page.Items {
			require.Equal(t, q.Time, l.Time)
		}
		q.Attempt = new(int32(2))
		page, err = s.Around(t.Context(), q)
		require.NoError(t, err)
		require.Empty(t, page.Items)
	})
}

// Logs go with their Frameworks, and beyond the limit of bytes the oldest ones are emptied, with the reason.
func TestExpireLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("make history-databases runs it: SQLite is slow under the race detector")
	}
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := retained(t, create(t), 10*24*time.Hour, 0)
		random := rand.New(rand.NewPCG(1, 2))
		noise := func() string {
			text := make([]byte, 100_000)
			for i := range text {
				text[i] = byte(random.IntN(256))
			}
			return string(text)
		}
		f := about("prod", "train", 0)
		for i := range int32(120) {
			l := logOf(f, i, 0, "main", noise())
			l.Time = start.Add(time.Duration(i) * time.Second)
			saved(t, s, l)
		}
		old := logOf(about("prod", "old", 0), 0, 0, "main", "text\n")
		old.Time = start.Add(-11 * 24 * time.Hour)
		saved(t, s, old)
		s.options.RetainLogBytes = 3_000_000
		n, err := s.Expire(t.Context(), start)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, 120, rowsOf(t, s)["log"])
		var total int64
		require.NoError(t, s.readers.QueryRowContext(t.Context(), "SELECT SUM(LENGTH(data)) FROM log_chunk").Scan(&total))
		require.LessOrEqual(t, total, int64(3_000_000))
		require.Greater(t, total, int64(2_800_000))
		require.Contains(t, logText(t, s, ofWorker(0)), "more bytes than the server keeps")
		require.Len(t, logText(t, s, ofWorker(119)), 100_000)

		_, err = s.Expire(t.Context(), start.Add(30*24*time.Hour))
		require.NoError(t, err)
		for table, rows := range rowsOf(t, s) {
			require.Zero(t, rows, table)
		}
	})
}
