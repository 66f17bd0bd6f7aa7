package gang

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// CheckSize accepts exactly the answers that fit by the contract.
func TestCheckSize(t *testing.T) {
	answer := func(size int) *pluginpb.HintResponse {
		return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "r", Annotations: map[string]string{"a": strings.Repeat("a", size)}}}}
	}
	q := &pluginpb.HintRequest{Roles: []*pluginpb.RoleShape{{Name: "r"}}}
	most := 0
	for size := maxAnswer - 100; size < maxAnswer; size++ {
		if CheckSize(answer(size), "") == nil {
			most = size
		}
	}
	for size, fits := range map[int]bool{1: true, most: true, most + 1: false} {
		err := CheckSize(answer(size), "reduce the number of TaskRoles")
		if (err == nil) != fits || err != nil && !strings.HasSuffix(err.Error(), "; reduce the number of TaskRoles") {
			t.Errorf("%d bytes: %v", size, err)
		}
		if _, err := answers.CheckHints(q, answer(size)); (err == nil) != fits {
			t.Errorf("%d bytes, by the contract: %v", size, err)
		}
	}
}
