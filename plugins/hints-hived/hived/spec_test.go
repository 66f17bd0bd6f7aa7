package hived

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// Every answer passes HiveD's checks of a spec: all Pods of a group have the same group, which has a member for their number of cells, no
// empty member, and as many Pods as there are.
func TestWhatHiveDChecks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	answered := 0
	for range 2000 {
		q := plugintest.RandomShape(r)
		q.Parameters = plugintest.Parameters(t, map[string]any{"virtualCluster": "VC1"})
		answer, err := New().SchedulerHints.Hint(t.Context(), q)
		if err != nil || answer.GetRefusal() != "" {
			t.Fatalf("%v: %v %v", q, answer, err)
		}
		if answer == nil {
			continue
		}
		answered++
		checkGroup(t, q, answer)
	}
	if answered < 500 {
		t.Errorf("only %d answers", answered)
	}
}

func checkGroup(t *testing.T, q *pluginpb.HintRequest, answer *pluginpb.HintResponse) {
	t.Helper()
	first, _ := specIn(answer)
	pods := int64(0)
	for _, patch := range answer.GetPatches() {
		s, found := specIn(&pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{patch}})
		group := s.AffinityGroup
		if !found || s.LeafCellNumber < 1 || group.Name != first.AffinityGroup.Name || !slices.Equal(group.Members, first.AffinityGroup.Members) {
			t.Fatalf("%v: %+v, and %+v", q, s, first)
		}
		if group.pods(s.LeafCellNumber) < 1 {
			t.Fatalf("%v: no member for %d cells in %+v", q, s.LeafCellNumber, group)
		}
		for _, role := range q.GetRoles() {
			if role.GetName() == patch.GetTaskRole() {
				pods += int64(role.GetTaskNumber())
			}
		}
	}
	for i, m := range first.AffinityGroup.Members {
		pods -= m.PodNumber
		if m.PodNumber < 1 || slices.IndexFunc(first.AffinityGroup.Members, func(o member) bool { return o.LeafCellNumber == m.LeafCellNumber }) != i {
			t.Fatalf("%v: %+v", q, first)
		}
	}
	if pods != 0 {
		t.Fatalf("%v: %+v has room for %d Pods too few or too many", q, first, pods)
	}
}

// Hints that the status has no room for are refused, and not sent.
func TestTooManyRoles(t *testing.T) {
	q := &pluginpb.HintRequest{Parameters: plugintest.Parameters(t, map[string]any{"virtualCluster": "VC1"})}
	for i := range 200 {
		q.Roles = append(q.Roles, &pluginpb.RoleShape{Name: "r" + strings.Repeat("x", i), TaskNumber: 1, Requests: map[string]string{"nvidia.com/gpu": "1"}})
	}
	answer, err := New().SchedulerHints.Hint(t.Context(), q)
	if err != nil || !strings.Contains(answer.GetRefusal(), "reduce the number of TaskRoles") || len(answer.GetPatches()) > 0 {
		t.Errorf("%s %v", answer.GetRefusal(), err)
	}
}
