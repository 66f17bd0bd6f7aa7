package lifecycle_test

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// lawDeletion: every deletion has a cause that agrees with the stored state, and the cause stored with a Task later on is the one
// in the action.
func (c *checker) lawDeletion(in lifecycle.Input, out lifecycle.Output) {
	for _, action := range out.Actions {
		var why reason.Deletion
		var kind reason.Kind
		var fits bool
		switch a := action.(type) {
		case lifecycle.DeletePod:
			why, kind = a.Why, reason.Pod
			fits = podCauseFits(in, out.State, a)
		case lifecycle.DeleteConfigMap:
			why, kind = a.Why, reason.ConfigMap
			fits = configMapCauseFits(in, out.State, a)
		default:
			continue
		}
		if !fits || !why.Cause.Row().May(kind) {
			c.violationf("deletion: for a cause that fits", "%s: %s", action, text(out.State.Status()))
		}
	}
}

// phraseCauses are the causes for attempts of Tasks, by the phrases of their ends.
var phraseCauses = map[string]reason.Cause{
	"PodLocalCacheCreationTimeout": reason.NeverSeen, "PodUnschedulable": reason.StartDeadline, "PodImagePullFailed": reason.StartDeadline,
	"PodContainerCreateFailed": reason.StartDeadline, "PodStartTimeout": reason.StartDeadline, "DeleteTaskRequested": reason.ScaleDown,
	"RestartedWithPeers": reason.RestartWithPeers, "NodesAvoidedTooStrictly": reason.AvoidedNodes,
	"TaskDeadlineExceeded": reason.TaskDeadline,
}

// wholePhraseCauses maps the outcomes of Framework attempts that no Task has decided to causes.
var wholePhraseCauses = map[string]reason.Cause{
	"StopFrameworkRequested": reason.Stop, "FrameworkSuspended": reason.Suspension, "EvictedByScheduler": reason.Eviction,
	"PodUnschedulable": reason.NotPlaced, "ConfigMapLocalCacheCreationTimeout": reason.NeverSeen,
	"DeadlineExceeded": reason.ActiveDeadline,
}

func podCauseFits(in lifecycle.Input, state *lifecycle.State, a lifecycle.DeletePod) bool {
	task := state.Task(a.Task)
	if task == nil || task.AttemptStatus.PodUID == nil || *task.AttemptStatus.PodUID != a.UID {
		want := []reason.Cause{reason.Orphan, reason.NeverAdopted}
		return a.Why == reason.Deletion{Cause: a.Why.Cause} && (a.Force && a.Why.Cause == reason.ForcedAfterTimeout ||
			!a.Force && (a.Why.Cause == want[0] || a.Why.Cause == want[1] && task != nil))
	}
	status, how := state.Status(), task.AttemptStatus.CompletionStatus
	if before := in.Saved.Task(a.Task); before != nil && before.AttemptStatus.CompletionStatus == nil && a.Why.Cause == reason.NeverSeen {
		how = nil // it was drawn along later in the round
	}
	var cause reason.Cause
	var ok bool
	switch {
	case how != nil && !a.Force && yieldsCluster(status) && (task.State == v1.AttemptPreparing || task.State == v1.AttemptRunning):
		// A Task that was to start again, but was not yet observed, is also deleted with all others.
		return a.Why.Cause == wholeCause(status) && a.Why.Code == status.AttemptStatus.CompletionStatus.Code
	case how == nil && task.State == v1.AttemptCreationRequested: // it is not known yet whether it exists
		cause = unseenCause(task, a.Why.Code)
	case how == nil:
		return false
	case how.Phrase == "FrameworkAttemptCompletion":
		cause = wholeCause(status)
	default:
		if cause, ok = phraseCauses[how.Phrase]; !ok {
			cause = reason.TaskEnded
		}
	}
	if a.Why.Cause == reason.TaskRetry {
		ok = cause == reason.TaskEnded && in.Saved.Framework().AttemptStatus.CompletionStatus == nil
	} else {
		ok = a.Why.Cause == cause
	}
	if a.Force {
		ok = a.Why.Cause == reason.ForcedAfterTimeout
	}
	return ok && a.Why.Ended && (how == nil || agrees(in, state, a))
}

// yieldsCluster reports whether the attempt ends so that others can run.
func yieldsCluster(status *v1.FrameworkStatus) bool {
	cause := wholeCause(status)
	return cause == reason.Suspension || cause == reason.Eviction || cause == reason.NotPlaced
}

func unseenCause(task *v1.TaskStatus, code int32) reason.Cause {
	switch {
	case code == -111:
		return reason.NeverSeen
	case task.DeletionPending:
		return reason.ScaleDown
	case takesPartIn(task) != nil:
		return reason.RestartWithPeers
	}
	return 0
}

// agrees reports whether the stored deletion equals the one in the action. The action does not know decisions made later in the
// round, and a deletion by others has no cause of ours.
func agrees(in lifecycle.Input, state *lifecycle.State, a lifecycle.DeletePod) bool {
	task, status := state.Task(a.Task), state.Status()
	decidedNow := (in.Saved.Framework().AttemptStatus.CompletionStatus == nil) != (status.AttemptStatus.CompletionStatus == nil)
	told := lifecycle.PodDeletion(in.Framework.Spec, status, a.Task.Role, task)
	if decidedNow || told == (reason.Deletion{}) {
		return true
	}
	if a.Force {
		told.Cause = reason.ForcedAfterTimeout
	}
	return told == a.Why
}

func wholeCause(status *v1.FrameworkStatus) reason.Cause {
	how := status.AttemptStatus.CompletionStatus
	if how == nil {
		return 0
	}
	if cause, ok := wholePhraseCauses[how.Phrase]; ok && how.Trigger == nil {
		return cause
	}
	return reason.AttemptEnded
}

func configMapCauseFits(in lifecycle.Input, state *lifecycle.State, a lifecycle.DeleteConfigMap) bool {
	status := state.Status()
	if a.Force {
		return a.Why == reason.Deletion{Cause: reason.CollectorLate}
	}
	if recorded := status.AttemptStatus.ConfigMapUID; recorded == nil || *recorded != a.UID {
		cm := in.Observed.ConfigMap.ConfigMap
		want := reason.Deletion{Cause: reason.Orphan}
		if cm != nil && cm.AttemptID == status.AttemptStatus.ID {
			want.Cause = reason.NeverAdopted
		}
		return a.Why == want
	}
	how := status.AttemptStatus.CompletionStatus
	if how == nil { // it was never seen
		stopped := in.Framework.Spec.ExecutionType == v1.ExecutionStop
		return stopped && a.Why == reason.Deletion{Cause: reason.Stop, Ended: true, Code: -210} ||
			!stopped && a.Why == reason.Deletion{Cause: reason.NeverSeen, Ended: true, Code: -110}
	}
	return a.Why.Cause == wholeCause(status) && a.Why.Ended && a.Why.Code == how.Code && a.Why.Row != ""
}
