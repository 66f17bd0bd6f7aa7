package checker

import (
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// suspension holds contract 6.1: while spec.suspend is true, neither an attempt nor the Tasks of one begin; and the status shows it. A
// status is written on the version that it was decided from, so the spec beside it is the one that it was decided by. A request under way
// may still create an object later.
type suspension struct{}

func (suspension) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	suspended := after.Spec.Suspend != nil && *after.Spec.Suspend && after.Spec.ExecutionType != v1.ExecutionStop
	if suspended && before.Status != nil {
		was, is := before.Status, after.Status
		t.hold(Suspended, c.subject(), was.AttemptStatus.ID == is.AttemptStatus.ID, "attempt %d began while it was suspended", is.AttemptStatus.ID)
		begins := rank(was.State) < rank(v1.AttemptPreparing) && (is.State == v1.AttemptPreparing || is.State == v1.AttemptRunning)
		t.hold(Suspended, c.subject(), !begins, "it became %s while it was suspended", is.State)
	}
	if after.Status.ObservedGeneration == after.Generation && after.Generation > 0 && !isTrue(after, v1.ConditionStatusInvalid) {
		wants := suspended && after.Status.State != v1.Completed
		t.hold(Suspended, c.subject(), isTrue(after, v1.ConditionSuspended) == wants, "suspended: %t, but its condition says otherwise", wants)
	}
}

func isTrue(f *framework, condition string) bool {
	return meta.IsStatusConditionTrue(f.Status.Conditions, condition)
}
