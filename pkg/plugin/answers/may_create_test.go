package answers

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestMayCreate(t *testing.T) {
	q := &pluginpb.MayCreateRequest{Roles: []*pluginpb.RoleShape{{Name: "a", ContainerNames: []string{"main"}}, {Name: "b", TaskNumber: 0}}}
	yes := func(patches ...*pluginpb.PodPatch) *pluginpb.MayCreateResponse {
		return &pluginpb.MayCreateResponse{Yes: true, Patches: patches}
	}
	pool := map[string]string{"pool": "fast"}
	tests := []struct {
		name   string
		answer *pluginpb.MayCreateResponse
		want   string
	}{
		{"no", &pluginpb.MayCreateResponse{}, ""},
		{"yes", yes(), ""},
		{"a patch", yes(&pluginpb.PodPatch{TaskRole: "a", NodeSelector: pool}), ""},
		{"a patch for a role without Tasks", yes(&pluginpb.PodPatch{TaskRole: "b", NodeSelector: pool}), ""},
		{"a patch for Tasks that are not there", yes(&pluginpb.PodPatch{TaskRole: "a", Indices: []*pluginpb.IndexRange{{First: 7, Last: 9}}}), ""},
		{"a role that is gone", yes(&pluginpb.PodPatch{TaskRole: "a"}, &pluginpb.PodPatch{TaskRole: "c", NodeSelector: pool}), `no role "c"`},
		{"no role", yes(&pluginpb.PodPatch{NodeSelector: pool}), `no role ""`},
		{"a role of a long name", yes(&pluginpb.PodPatch{TaskRole: strings.Repeat("c", 200)}), "no role"},
		{"a container that is gone", yes(&pluginpb.PodPatch{TaskRole: "a", Containers: []*pluginpb.ContainerPatch{{Name: "sidecar"}}}), `no container "sidecar"`},
		{"patches with no", &pluginpb.MayCreateResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "a"}}}, "does not say yes"},
		{"yes, and evicts", &pluginpb.MayCreateResponse{Yes: true, Evict: &pluginpb.Eviction{}}, "evicts"},
		{"a negative grace", &pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{GraceSeconds: -1}}, "evict.grace_seconds is negative"},
		{"a negative pause", &pluginpb.MayCreateResponse{RetryAfterSeconds: -1}, "retry_after_seconds is negative"},
		{"too large", yes(&pluginpb.PodPatch{TaskRole: "a", Annotations: map[string]string{"k": strings.Repeat("x", maxHints)}}), "at most 65536"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { _, err := CheckMayCreate(q, tt.answer); wantProblem(t, err, tt.want) })
	}
}
