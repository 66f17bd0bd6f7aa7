package answers

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// What a verdict may say about a node: for how many seconds it is avoided, and how many bytes the reason has.
const (
	maxAvoidedSeconds = 7 * 24 * 60 * 60
	maxAvoidedReason  = 1 << 10
)

// checkAvoidNode says what is wrong with what a verdict wants for the node; nil if nothing is, or it wants nothing.
func checkAvoidNode(a *pluginpb.AvoidNode) error {
	if a == nil {
		return nil
	}
	if _, known := pluginpb.AvoidNode_Mode_name[int32(a.GetMode())]; !known {
		return fmt.Errorf("avoid_node.mode has to be 0 (PREFER) or 1 (REQUIRE), but is %d", a.GetMode())
	}
	if s := a.GetSeconds(); s < 1 || s > maxAvoidedSeconds {
		return fmt.Errorf("avoid_node.seconds has to be 1 to %d, but is %d", maxAvoidedSeconds, s)
	}
	return nil
}

func cutAvoidNode(a *pluginpb.AvoidNode) {
	if a != nil {
		a.Reason = completion.Cut(a.Reason, maxAvoidedReason)
	}
}
