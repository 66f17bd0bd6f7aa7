package records_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// The records of a list cover all UIDs without a gap, are equal for equal lists, and fit into requests.
func TestPresence(t *testing.T) {
	for _, n := range []int{0, 1, 10_000} {
		var uids, reversed []string
		for i := range n {
			uids = append(uids, fmt.Sprintf("%036d", i))
			reversed = append(reversed, fmt.Sprintf("%036d", n-1-i))
		}
		all := records.Presence(reversed, "42", begin)
		same := records.Presence(append(uids, uids...), "42", begin)
		require.Equal(t, len(all), len(same))
		from, keys := "", map[string]bool{}
		var found []string
		for i, r := range all {
			require.True(t, proto.Equal(r, same[i]))
			require.Nil(t, r.GetFramework())
			p := r.GetPresence()
			require.Equal(t, []string{"42", from}, []string{p.GetResourceVersion(), p.GetFrom()})
			for _, uid := range p.GetUids() {
				require.True(t, p.GetFrom() <= uid && (p.GetUntil() == "" || uid < p.GetUntil()), uid)
			}
			require.Less(t, proto.Size(r), plugin.MaxMessage/16)
			found, from, keys[r.GetKey()] = append(found, p.GetUids()...), p.GetUntil(), true
		}
		require.Empty(t, from, "the last record has no end")
		require.Equal(t, uids, found)
		require.Len(t, keys, len(all))
		require.Equal(t, n > 5000, len(all) > 1)
	}
}
