package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Hints are asked for with spec.scheduling and the parameters of plugins as they are then. Their digest is stored with the
// answer, so that an edit of them is noticed: before the attempt has a Pod, the scheduler is asked anew. Later, all Pods of the
// attempt go by the same hints, and the edit counts from the next attempt.

// SchedulingDigest stands for what hints depend on beside the scale: spec.scheduling and spec.plugins. It is never empty.
func SchedulingDigest(spec *v1.FrameworkSpec) string {
	text, err := json.Marshal([]any{spec.Scheduling, spec.Plugins})
	if err != nil {
		text = []byte(err.Error()) // parameters that are no JSON, which no API server lets in
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// SchedulingChanged reports whether an attempt has hints that were asked for with another spec.scheduling, or other parameters
// of plugins, than the spec has by now. If it is not known with which, they have not changed.
func SchedulingChanged(spec *v1.FrameworkSpec, hints *v1.SchedulerHints) bool {
	return hints != nil && hints.SchedulingDigest != "" && hints.SchedulingDigest != SchedulingDigest(spec)
}

// HintsOutdated reports whether a scheduling that was edited since counts for the attempt: its hints were asked for with another one,
// no scheduler has admitted it with them, and it had no Pod. The answer to a PrepareHints that arrives then must let no Pod be created
// that none was let before.
func (s *State) HintsOutdated(spec *v1.FrameworkSpec) bool {
	return SchedulingChanged(spec, s.status.AttemptStatus.SchedulerHints) && !s.HintsInUse()
}

// HintsInUse reports whether the scheduler has admitted the attempt with its hints, or a Pod was created with them.
func (s *State) HintsInUse() bool {
	if hints := s.status.AttemptStatus.SchedulerHints; hints != nil && len(hints.Admission) > 0 {
		return true
	}
	for _, t := range s.Tasks {
		if begun(t) {
			return true
		}
	}
	return false
}

// asksAnew reports whether the stored hints are to be replaced, as they were asked for with another scheduling, and no Pod was
// let be created with them.
func (r *round) asksAnew() bool {
	return r.in.Saved != nil && r.in.Observed.Hints.Prepared == "" && r.in.Saved.HintsOutdated(r.in.Framework.Spec) && !r.anyBegun()
}

// reportLateScheduling says of an edit of the scheduling that comes too late for the attempt what it takes. With a rescale the
// scheduler hears of it anyway.
func (r *round) reportLateScheduling() {
	if r.in.Saved == nil {
		return
	}
	stored, edited := r.in.Saved.status.AttemptStatus.SchedulerHints, r.in.Framework.Generation != r.in.Saved.status.ObservedGeneration
	if edited && SchedulingChanged(r.in.Framework.Spec, stored) && isFor(r.scale(), stored) && !r.asksAnew() {
		r.report(Event{Warning: true, Reason: reason.SchedulingChangedLate, Message: "the Pods of the attempt go by spec.scheduling and spec.plugins as they were " +
			"before the last change, which counts from the next attempt: suspend and resume the Framework to begin that now"})
	}
}
