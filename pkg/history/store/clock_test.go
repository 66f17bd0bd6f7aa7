package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// The clock may go back between records and within an attempt: a later record of a Framework replaces an earlier one whatever their times
// are, no duration is negative, and an attempt is in the lists of the time that was stored.
func TestClockGoesBack(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		f := about("prod", "train", 0)
		completed := frameworkRecord(f, 2, 0, outcomeOf(0))
		completed.Time = after(-3600)
		back := taskRecord(f, "worker", 0, 0, -7200, "n1", 0)
		back.GetTaskAttempt().Began, back.GetTaskAttempt().Scheduled, back.GetTaskAttempt().Ran = after(0), after(10), after(20)
		for _, r := range []*pluginpb.Record{frameworkRecord(f, 1, 0, nil), completed, proto.CloneOf(back), back} {
			_, err := s.Ingest(t.Context(), "c", []*pluginpb.Record{r})
			require.NoError(t, err)
		}
		detail, err := s.Framework(t.Context(), "prod", "train", "")
		require.NoError(t, err)
		require.Equal(t, "Completed", detail.Framework.State)
		report, err := s.Report(t.Context(), ReportQuery{By: "namespace", Range: always})
		require.NoError(t, err)
		require.Len(t, report.Rows, 1)
		require.EqualValues(t, 1, report.Rows[0].Attempts)
		require.Zero(t, report.Rows[0].RunSeconds)
		require.EqualValues(t, 10, report.Rows[0].WaitSeconds)
		page, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Range: Range{Since: back.GetTime().AsTime(), Until: start.Add(-7199 * time.Second)}, Limit: 10})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		requireSums(t, s)
	})
}
