package hived

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// TestStories asks what the files in testdata say: "hint" asks with the question in YAML, which has the keys of the
// contract; "rescale" does it with the last answer that was no refusal as the previous one.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var used *pluginpb.HintResponse
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q := questionFrom(t, d.Input)
			if d.Cmd == "rescale" {
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

func questionFrom(t *testing.T, text string) *pluginpb.HintRequest {
	t.Helper()
	var tree map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &tree))
	q := &pluginpb.HintRequest{Framework: &pluginpb.Framework{Namespace: "default", Name: "train", AttemptId: 2}}
	roles, _ := tree["roles"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		q.Roles = append(q.Roles, roleFrom(t, name, roles[name]))
	}
	if scheduling, ok := tree["scheduling"].(map[string]any); ok {
		q.Scheduling = &pluginpb.Scheduling{}
		encoded, err := protojson.Marshal(plugintest.Parameters(t, scheduling))
		require.NoError(t, err)
		require.NoError(t, protojson.Unmarshal(encoded, q.Scheduling))
	}
	if parameters, ok := tree["parameters"].(map[string]any); ok {
		q.Parameters = plugintest.Parameters(t, parameters)
	}
	return q
}

func roleFrom(t *testing.T, name string, tree any) *pluginpb.RoleShape {
	t.Helper()
	role := &pluginpb.RoleShape{}
	encoded, err := protojson.Marshal(plugintest.Parameters(t, tree.(map[string]any)))
	require.NoError(t, err)
	require.NoError(t, protojson.Unmarshal(encoded, role))
	role.Name, role.ContainerNames = name, []string{"main", "side"}
	return role
}

// text renders an answer, with annotations as they are.
func text(a *pluginpb.HintResponse) string {
	if a == nil {
		return "no opinion"
	}
	if a.Refusal != "" {
		return "refused: " + a.Refusal
	}
	var out strings.Builder
	for _, p := range a.Patches {
		fmt.Fprintf(&out, "role %s: schedulerName %s\n", p.TaskRole, p.SchedulerName)
		if p.PriorityClassName != "" {
			fmt.Fprintf(&out, "priorityClassName %s\n", p.PriorityClassName)
		}
		for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
			fmt.Fprintf(&out, "annotation %s:\n%s", key, indented(p.Annotations[key]))
		}
		for _, c := range p.Containers {
			fmt.Fprintf(&out, "container %q: limits %v, env %s\n", c.Name, c.Limits, c.EnvJson)
		}
	}
	return out.String()
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
