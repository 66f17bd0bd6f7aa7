package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Hints are requested with the current spec.scheduling and plugin parameters. Their digest is stored with the answer, so that an
// edit is noticed: before the attempt has a Pod, the scheduler is asked anew. Later, all Pods of the attempt use the same hints,
// and the edit applies from the next attempt.

// SchedulingDigest stands for everything besides the scale on which hints depend: spec.scheduling and spec.plugins. It is never
// empty.
func SchedulingDigest(spec *v1.FrameworkSpec) string {
	text, err := json.Marshal([]any{spec.Scheduling, spec.Plugins})
	if err != nil {
		text = []byte(err.Error()) // invalid JSON in parameters, which every API server refuses
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// SchedulingChanged reports whether an attempt has hints that were asked for with another spec.scheduling, or other parameters
// of plugins, than the spec has by now. If it is not known with which, they have not changed.
func SchedulingChanged(spec *v1.FrameworkSpec, hints *v1.SchedulerHints) bool {
	return hints != nil && hints.SchedulingDigest != "" && hints.SchedulingDigest != SchedulingDigest(spec)
}

// HintsOutdated reports whether a later edit of the scheduling applies to the attempt: its hints were requested before the edit, no
// scheduler has admitted it with them, and it had no Pod. An answer to PrepareHints that arrives then must not release any further
// Pod.
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

// asksAnew reports whether the stored hints are to be replaced, as they were requested with a different scheduling, and no Pod
// was released with them.
func (r *round) asksAnew() bool {
	return r.in.Saved != nil && r.in.Observed.Hints.Prepared == "" && r.in.Saved.HintsOutdated(r.in.Framework.Spec) && !r.anyBegun()
}

// reportLateScheduling reports an edit of the scheduling that is too late for the attempt, and how to apply it. With a rescale
// the scheduler learns about it anyway.
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
