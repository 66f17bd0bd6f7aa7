package hived

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// FuzzHint: for any question, the contract allows the answer, and a second answer is the same.
func FuzzHint(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		q := plugintest.RandomShape(r)
		q.Previous, _ = New().SchedulerHints.Hint(f.Context(), q)
		encoded, _ := proto.Marshal(q)
		f.Add(encoded)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		q := &pluginpb.HintRequest{}
		if proto.Unmarshal(data, q) != nil || rolesRepeat(q) {
			return
		}
		answer, err := New().SchedulerHints.Hint(t.Context(), q)
		require.NoError(t, err)
		require.NoError(t, plugintest.CheckHints(q, answer))
		if again, _ := New().SchedulerHints.Hint(t.Context(), q); !proto.Equal(answer, again) {
			t.Fatalf("%v, and again %v", answer, again)
		}
	})
}

// rolesRepeat: the names of roles are unique in the API.
func rolesRepeat(q *pluginpb.HintRequest) bool {
	seen := map[string]bool{}
	for _, role := range q.GetRoles() {
		if seen[role.GetName()] {
			return true
		}
		seen[role.GetName()] = true
	}
	return false
}
