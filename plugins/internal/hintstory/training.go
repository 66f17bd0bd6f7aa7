package hintstory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// Training is the question about attempt 2 of a Framework with a chief and the given number of workers, for tests that are no
// stories.
func Training(t *testing.T, workers int32, parameters map[string]any, scheduling *pluginpb.Scheduling) *pluginpb.HintRequest {
	t.Helper()
	return &pluginpb.HintRequest{
		Framework:  &pluginpb.Framework{Namespace: "default", Name: "train", AttemptId: 2},
		Parameters: plugintest.Parameters(t, parameters),
		Scheduling: scheduling,
		Roles: []*pluginpb.RoleShape{
			{Name: "chief", TaskNumber: 1, Requests: map[string]string{"cpu": "500m"}, ContainerNames: []string{"main"}},
			{Name: "worker", TaskNumber: workers, Requests: map[string]string{"cpu": "2", "nvidia.com/gpu": "8"}, ContainerNames: []string{"main"}},
		},
	}
}

// Answer returns the answer to a question, and fails the test if the contract does not allow it.
func Answer(t *testing.T, hint Hint, q *pluginpb.HintRequest) *pluginpb.HintResponse {
	t.Helper()
	got, err := hint(t.Context(), q)
	require.NoError(t, err)
	require.NoError(t, plugintest.CheckHints(q, got))
	return got
}
