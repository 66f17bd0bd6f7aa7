package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A name that was used a thousand times names the newest Framework, each of the others is found by its UID, and pages have all.
func TestSameNameManyTimes(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		const lives = 1000
		var all []*pluginpb.Record
		for i := range lives {
			f := about("prod", "train", 0)
			f.Uid = fmt.Sprintf("uid-%04d", i)
			all = append(all, frameworkRecord(f, 1, i, outcomeOf(int32(i%2))), taskRecord(f, "worker", 0, 0, i+60, "n1", int32(i%2)))
		}
		for range 2 { // the second time changes nothing
			for begin := 0; begin < len(all); begin += 500 {
				_, err := s.Ingest(t.Context(), "c", all[begin:begin+500])
				require.NoError(t, err)
			}
		}
		newest, err := s.Framework(t.Context(), "prod", "train", "")
		require.NoError(t, err)
		require.Equal(t, "uid-0999", newest.Framework.UID)
		old, err := s.Framework(t.Context(), "prod", "train", "uid-0123")
		require.NoError(t, err)
		require.Equal(t, "uid-0123", old.Framework.UID)
		require.EqualValues(t, 1, old.Framework.Completion.Code)
		require.Len(t, old.Outcomes, 1)
		_, err = s.Framework(t.Context(), "dev", "train", "uid-0123")
		require.ErrorIs(t, err, ErrNotFound, "a UID must not lead into another namespace")

		var uids []string
		for next, more := "", true; more; more = next != "" {
			page, err := s.Frameworks(t.Context(), FrameworkQuery{Namespace: "prod", Name: "train", Range: always, Limit: 300, After: next})
			require.NoError(t, err)
			for _, f := range page.Items {
				uids = append(uids, f.UID)
			}
			next = page.Next
		}
		require.Len(t, uids, lives)
		require.Equal(t, "uid-0999", uids[0])
		require.Equal(t, "uid-0000", uids[lives-1])
	})
}
