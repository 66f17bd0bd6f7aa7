package gang

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestCheckSize(t *testing.T) {
	for size, fits := range map[int]bool{60_000: true, 70_000: false} {
		answer := &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: strings.Repeat("r", size)}}}
		if err := CheckSize(answer); (err == nil) != fits {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
