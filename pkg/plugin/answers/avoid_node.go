package answers

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// maxAvoidedReason is how many bytes the reason has.
const maxAvoidedReason = 1 << 10

// checkAvoidNode says what is wrong with what a verdict wants for the node; nil if nothing is, or it wants nothing.
func checkAvoidNode(a *pluginpb.AvoidNode) error {
	if a == nil {
		return nil
	}
	if _, known := pluginpb.AvoidNode_Mode_name[int32(a.GetMode())]; !known {
		return fmt.Errorf("avoid_node.mode has to be 0 (PREFER) or 1 (REQUIRE), but is %d", a.GetMode())
	}
	if s := a.GetSeconds(); s < 1 || s > v1.MaxAdvisedSeconds {
		return fmt.Errorf("avoid_node.seconds has to be 1 to %d, but is %d", v1.MaxAdvisedSeconds, s)
	}
	return nil
}

func cutAvoidNode(a *pluginpb.AvoidNode) {
	if a != nil {
		a.Reason = completion.Cut(a.Reason, maxAvoidedReason)
	}
}
