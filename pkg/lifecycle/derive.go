package lifecycle

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// derive fills in the parts of the status that follow from the others.
func (r *round) derive() {
	r.status.ObservedGeneration = r.in.Framework.Generation
	r.countActiveTime()
	counts := r.tally()
	r.status.Tasks = &v1.TaskCounts{
		Total:     int32(counts.total),
		Running:   int32(counts.running),
		Succeeded: int32(counts.succeeded),
		Failed:    int32(counts.failed),
		CutShort:  int32(counts.cutShort),
		Waiting:   int32(counts.waiting),
	}
	// Step has opened gates by the spec and the stored Tasks. These have moved since.
	created := r.openGates()
	r.placeLater(created)
	r.lookAtCreated(created)
	r.status.Gate = r.gate()
	r.deriveConditions()
}

func (r *round) deriveConditions() {
	conditions := slices.Clone(r.status.Conditions)
	state := r.status.State
	set := func(kind string, is bool, reason, message string) {
		meta.SetStatusCondition(&conditions, r.condition(kind, is, reason, message))
	}
	set(v1.ConditionRunning, state == v1.AttemptRunning, string(state), "")
	set(v1.ConditionCompleted, state == v1.Completed, r.outcomeReason(), r.outcomeMessage())
	if state == v1.Completed {
		failed := r.status.AttemptStatus.CompletionStatus.Type.Name != v1.CompletionSucceeded
		set(v1.ConditionFailed, failed, r.outcomeReason(), r.outcomeMessage())
	}
	if r.suspends() || meta.FindStatusCondition(conditions, v1.ConditionSuspended) != nil {
		r.reportSuspension(meta.IsStatusConditionTrue(conditions, v1.ConditionSuspended))
		reason, message := r.suspension()
		set(v1.ConditionSuspended, r.suspends(), reason, message)
	}
	r.setWaiting(conditions, set)
	if meta.FindStatusCondition(conditions, v1.ConditionStatusInvalid) != nil {
		set(v1.ConditionStatusInvalid, false, "StatusRepaired", "")
	}
	r.status.Conditions = conditions
}

// outcomeReason is Succeeded or Failed once the Framework has completed, and its state before that. The phrase
// would say more, but configured ones need not have the form of a reason.
func (r *round) outcomeReason() string {
	if r.status.State != v1.Completed {
		return string(r.status.State)
	}
	return string(r.status.AttemptStatus.CompletionStatus.Type.Name)
}

func (r *round) outcomeMessage() string {
	if r.status.State != v1.Completed {
		return ""
	}
	return summaryWithCause(r.status.AttemptStatus.CompletionStatus.CompletionStatus)
}

// condition has the time of the round, which SetStatusCondition takes only if the status changes. It reads the clock only for a
// time that is zero.
func (r *round) condition(kind string, is bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{
		Type:               kind,
		Status:             status,
		ObservedGeneration: r.in.Framework.Generation,
		LastTransitionTime: r.now,
		Reason:             reason,
		Message:            message,
	}
}
