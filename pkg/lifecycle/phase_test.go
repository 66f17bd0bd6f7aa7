package lifecycle_test

import (
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// An uninformative phase changes nothing: while a node is unreachable, its Pods are Unknown, and their Tasks keep their states.
func TestPhaseThatSaysNothing(t *testing.T) {
	for _, phase := range []lifecycle.PodPhase{"Unknown", "", "Dreaming"} {
		spec := roles(1)
		state, observed := running(t, spec)
		observed.Pods[lifecycle.TaskRef{Role: "r0"}].Pod.Phase = phase
		in := inputOf(state, spec)
		in.Observed = observed
		if out := lifecycle.Step(in); out.State != state || len(out.Actions) > 0 {
			t.Errorf("%q: moves %v, actions %v", phase, out.Moves, out.Actions)
		}
	}
}

// A terminating Pod may lose its address before it is gone. The Task keeps the last known address.
func TestAddressFreezesWithTermination(t *testing.T) {
	spec := roles(1)
	ref := lifecycle.TaskRef{Role: "r0"}
	state, observed := running(t, spec)
	pod := observed.Pods[ref].Pod
	pod.Deleting, pod.TerminationStart, pod.IP, pod.NodeName = true, noon, "", ""
	in := inputOf(state, spec)
	in.Observed = observed
	for range 2 {
		in.Saved = lifecycle.Step(in).State
		if task := in.Saved.Task(ref); task.State != v1.AttemptDeleting || *task.AttemptStatus.PodIP != "10.0.0.1" {
			t.Errorf("the Task is %s", text(task))
		}
	}
}

// Times have whole seconds from the begin, as they have after a restart, so that a restart changes no decision.
func TestTimesHaveWholeSeconds(t *testing.T) {
	in := inputOf(nil, roles(1))
	in.Now = noon.Add(987654321 * time.Nanosecond)
	status := lifecycle.Step(in).State.Status()
	for _, at := range []time.Time{
		status.StartTime.Time, status.TransitionTime.Time, status.AttemptStatus.StartTime.Time,
		status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].TransitionTime.Time,
	} {
		if !at.Equal(noon) {
			t.Errorf("a time is %s", at)
		}
	}
}
