package lifecycle

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A suspended Framework has no running Pods. Its running attempt ends with -250, and the next attempt waits to begin: as
// pending if nothing was ever created for it, as completed otherwise. The retry after a suspension is always granted, uses up
// none of the policy's retries, and does not wait once the Framework is resumed (R0a).

// Suspended reports whether a spec temporarily lets nothing run. A stop is final, and takes precedence.
func Suspended(spec *v1.FrameworkSpec) bool {
	return spec.Suspend != nil && *spec.Suspend && spec.ExecutionType != v1.ExecutionStop
}

func (r *round) suspended() bool { return Suspended(r.in.Framework.Spec) }

// suspends reports whether anything is kept from running.
func (r *round) suspends() bool { return r.suspended() && r.status.State != v1.Completed }

// suspension returns the content of the condition Suspended. For a Framework that has ended, it explains why it is not
// suspended although it was not resumed.
func (r *round) suspension() (why, message string) {
	suspend := r.in.Framework.Spec.Suspend
	switch {
	case r.suspends() && r.status.AttemptStatus.ConfigMapUID != nil && !ended(r.status.State):
		return string(reason.Suspended), fmt.Sprintf("attempt %d is being ended", r.status.AttemptStatus.ID)
	case r.suspends():
		return string(reason.Suspended), "nothing runs until spec.suspend is false"
	case suspend == nil || !*suspend:
		return string(reason.Resumed), ""
	case r.stopping():
		return "Stopped", ""
	}
	return string(v1.Completed), ""
}

// reportSuspension reports the begin of a suspension, and its end by a user.
func (r *round) reportSuspension(was bool) {
	switch now, _ := r.suspension(); {
	case !was && r.suspends():
		r.report(Event{Reason: reason.Suspended, Message: "nothing of it runs until spec.suspend is false"})
	case was && now == string(reason.Resumed):
		r.report(Event{Reason: reason.Resumed, Message: "it goes on, as spec.suspend is no longer true"})
	}
}
