package hintstory

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// Hint is how a plugin is asked.
type Hint = func(context.Context, *pluginpb.HintRequest) (*pluginpb.HintResponse, error)

// Run runs all stories in a folder.
func Run(t *testing.T, folder string, hint Hint) { RunAs(t, folder, hint, text) }

// RunAs is Run with answers in a form of the plugin's own.
func RunAs(t *testing.T, folder string, hint Hint, text func(*pluginpb.HintResponse) string) {
	datadriven.Walk(t, folder, func(t *testing.T, path string) {
		var used *pluginpb.HintResponse
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q := Question(t, d.Input)
			if d.Cmd == "again" {
				q.Previous = used
			}
			before := proto.Clone(q)
			answer, err := hint(t.Context(), q)
			if err != nil || !proto.Equal(q, before) {
				t.Fatalf("%v, or the question was changed", err)
			}
			require.NoError(t, plugintest.CheckHints(q, answer))
			if answer.GetRefusal() == "" {
				used = answer
			}
			return text(answer)
		})
	})
}

// Question reads a question about attempt 2 of the Framework train in the namespace default. Roles are in the order of
// their names.
func Question(t *testing.T, from string) *pluginpb.HintRequest {
	t.Helper()
	var tree map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(from), &tree))
	q := &pluginpb.HintRequest{Framework: &pluginpb.Framework{Namespace: "default", Name: "train", AttemptId: 2}}
	if name, ok := tree["name"].(string); ok {
		q.Framework.Name = name
	}
	roles, _ := tree["roles"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		role := &pluginpb.RoleShape{}
		read(t, roles[name], role)
		role.Name, role.ContainerNames = name, []string{"main", "side"}
		q.Roles = append(q.Roles, role)
	}
	if scheduling, ok := tree["scheduling"]; ok {
		q.Scheduling = &pluginpb.Scheduling{}
		read(t, scheduling, q.Scheduling)
	}
	if served, ok := tree["groupVersions"].([]any); ok {
		for _, version := range served {
			q.GroupVersions = append(q.GroupVersions, version.(string))
		}
	}
	if parameters, ok := tree["parameters"].(map[string]any); ok {
		q.Parameters = plugintest.Parameters(t, parameters)
	}
	return q
}

func read(t *testing.T, tree any, into proto.Message) {
	t.Helper()
	encoded, err := protojson.Marshal(plugintest.Parameters(t, tree.(map[string]any)))
	require.NoError(t, err)
	require.NoError(t, protojson.Unmarshal(encoded, into))
}
