package answers

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// maxAvoidedReason is the maximum length of the reason in bytes.
const maxAvoidedReason = 1 << 10

// checkAvoidNode returns the mistake in a verdict's avoid_node; nil if there is none, or avoid_node is absent.
func checkAvoidNode(a *pluginpb.AvoidNode) error {
	if a == nil {
		return nil
	}
	if _, known := pluginpb.AvoidNode_Mode_name[int32(a.GetMode())]; !known {
		return fmt.Errorf("avoid_node.mode must be 0 (PREFER) or 1 (REQUIRE), but is %d", a.GetMode())
	}
	if s := a.GetSeconds(); s < 1 || s > v1.MaxAdvisedSeconds {
		return fmt.Errorf("avoid_node.seconds must be 1 to %d, but is %d", v1.MaxAdvisedSeconds, s)
	}
	return nil
}

func cutAvoidNode(a *pluginpb.AvoidNode) {
	if a != nil {
		a.Reason = completion.Cut(a.Reason, maxAvoidedReason)
	}
}
