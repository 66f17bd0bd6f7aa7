package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// An attempt of a Task that others ended is no failure, in lists and in reports of all kinds. A container may exit with any number: the
// code alone does not make it one of these.
func TestEndedByOthersIsNoFailure(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s, f := opened(t, create(t)), about("prod", "train", 0)
		ends, failed := []*pluginpb.Completion{outcomeOf(0), outcomeOf(1)}, 1
		for _, e := range completion.Table() {
			ends = append(ends, &pluginpb.Completion{Code: e.Code, Phrase: e.Phrase, Type: &pluginpb.CompletionType{Name: "Failed"}})
			if !e.EndedByOthers {
				failed++
				continue
			}
			ends = append(ends, &pluginpb.Completion{Code: e.Code, Phrase: "Mine", Type: &pluginpb.CompletionType{Name: "Failed"}})
			failed++
		}
		require.Greater(t, len(ends), failed+3)
		var records []*pluginpb.Record
		for i, end := range ends {
			r := taskRecord(f, "worker", int32(i), 0, 100+i, "node-1", 0)
			r.GetTaskAttempt().Completion = end
			records = append(records, r)
		}
		ingested(t, s, records)
		page, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: "train", Failed: true, Limit: 1000})
		require.NoError(t, err)
		require.Len(t, page.Items, failed)
		for _, by := range []string{"node", "namespace", "role"} {
			report, err := s.Report(t.Context(), ReportQuery{By: by, Range: always})
			require.NoError(t, err)
			require.Len(t, report.Rows, 1, by)
			require.EqualValues(t, len(ends), report.Rows[0].Attempts, by)
			require.EqualValues(t, failed, report.Rows[0].Failed, by)
		}
		failures, err := s.Failures(t.Context(), FailureQuery{By: "node", Range: Range{Since: start, Until: start.Add(1)}})
		require.NoError(t, err)
		require.EqualValues(t, failed, failures.Failed)
		first, err := s.FirstFailure(t.Context(), "prod", "train", "", nil)
		require.NoError(t, err)
		require.EqualValues(t, len(ends)-1-failed, first.EndedByOthers)
	})
}
