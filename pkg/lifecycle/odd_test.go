package lifecycle_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// Input that no sound cluster gives, but that older CRDs, hands and bugs elsewhere may.

var noon = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// inputOf is a round of a Framework with that spec, and nothing observed.
func inputOf(saved *lifecycle.State, spec *v1.FrameworkSpec) lifecycle.Input {
	return lifecycle.Input{
		Framework: lifecycle.Framework{Name: "demo", UID: "f", Spec: spec},
		Saved:     saved,
		Config:    lifecycletest.Config(),
		Now:       noon,
	}
}

// running returns a Framework with the given spec whose ConfigMap and Pods exist and run.
func running(t testing.TB, spec *v1.FrameworkSpec) (*lifecycle.State, lifecycle.Observed) {
	in := inputOf(nil, spec)
	state := lifecycle.Step(in).State
	in.Observed.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: "cm", Cached: true, FrameworkUID: "f"}
	for range 2 {
		in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{}
		for ref, task := range state.Tasks {
			in.Observed.Pods[ref] = lifecycle.PodView{Pod: &lifecycle.Pod{
				UID: types.UID(ref.String()), Cached: true, ConfigMapUID: "cm", TaskUID: task.InstanceUID, Phase: lifecycle.PodRunning, IP: "10.0.0.1",
			}}
		}
		in.Saved = state
		state = lifecycle.Step(in).State
	}
	if state.Framework().State != v1.AttemptRunning {
		t.Fatalf("it does not run: %s", text(state.Status()))
	}
	return state, in.Observed
}

func roles(numbers ...int32) *v1.FrameworkSpec {
	spec := &v1.FrameworkSpec{}
	for i, n := range numbers {
		spec.TaskRoles = append(spec.TaskRoles, v1.TaskRoleSpec{Name: fmt.Sprint("r", i), TaskNumber: n})
	}
	return spec
}

func taskNames(state *lifecycle.State) string {
	var names []string
	eachTask(state, func(ref lifecycle.TaskRef, _ *v1.TaskStatus) { names = append(names, ref.String()) })
	return strings.Join(names, " ")
}

// Among roles with the same name the first counts, and a negative number counts as zero. Both complete as if they had been
// written properly.
func TestOddRoles(t *testing.T) {
	spec := roles(1, -3)
	spec.TaskRoles = append(spec.TaskRoles, v1.TaskRoleSpec{Name: "r0", TaskNumber: 5})
	state, observed := running(t, spec)
	if got := taskNames(state); got != "r0-0" {
		t.Errorf("Tasks are %q", got)
	}
	ref := lifecycle.TaskRef{Role: "r0"}
	observed.Pods[ref] = lifecycle.PodView{Gone: "r0-0"}
	in := inputOf(state, spec)
	in.Observed = observed
	if got := lifecycle.Step(in).State.Framework().AttemptStatus.CompletionStatus; got == nil || got.Code != 0 {
		t.Errorf("all Tasks completed, but the attempt is at %s", text(got))
	}
}

// A timeout of more seconds than a duration can hold has not expired long ago.
func TestHugeTimeout(t *testing.T) {
	huge := int64(math.MaxInt64)
	spec := roles(1)
	spec.TaskRoles[0].Task.PodGracefulDeletionTimeoutSec = &huge
	state, observed := running(t, spec)
	pod := observed.Pods[lifecycle.TaskRef{Role: "r0"}].Pod
	pod.Deleting, pod.TerminationStart = true, noon.Add(-time.Hour)
	in := inputOf(state, spec)
	in.Observed = observed
	if out := lifecycle.Step(in); len(out.Actions) > 0 || out.WakeAt.Before(noon.AddDate(100, 0, 0)) {
		t.Errorf("asks for %v, and to look again at %s", out.Actions, out.WakeAt)
	}
}

// A Pod known to be gone is not revived by a cache that lags, whatever it shows.
func TestGoneCountsForMore(t *testing.T) {
	spec := roles(1)
	spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = v1.RetryAlways
	state, observed := running(t, spec)
	in := inputOf(state, spec)
	in.Observed = observed
	ref := lifecycle.TaskRef{Role: "r0"}
	view := observed.Pods[ref]
	view.Gone = view.Pod.UID
	observed.Pods[ref] = view
	for range 2 {
		out := lifecycle.Step(in)
		in.Saved = out.State
		if got := fmt.Sprint(out.Actions); got != "[]" && got != "[create pod r0-0 attempt=1]" {
			t.Errorf("asks for %s", got)
		}
	}
	if got := in.Saved.Task(ref); got.State != v1.AttemptCreationPending || got.AttemptStatus.ID != 1 {
		t.Errorf("the Task is not retried: %s", text(got))
	}
	in.Observed.ConfigMap.Gone = "cm"
	if got := lifecycle.Step(in).State.Framework().State; got != v1.Completed {
		t.Errorf("the Framework is in %s", got)
	}
}

// A status that was refused, and then repaired by hand, reports the repair.
func TestRepaired(t *testing.T) {
	spec := roles(0)
	state, observed := idling(spec)
	status := state.Status()
	status.Conditions = append(status.Conditions, metav1.Condition{Type: v1.ConditionStatusInvalid, Status: metav1.ConditionTrue})
	state, err := lifecycle.Load(status)
	require.NoError(t, err)
	in := inputOf(state, spec)
	in.Observed = observed
	for _, c := range lifecycle.Step(in).State.Framework().Conditions {
		if c.Type == v1.ConditionStatusInvalid && c.Status != metav1.ConditionFalse {
			t.Errorf("the condition is still %s", c.Status)
		}
	}
}

// idling is a Framework that idles.
func idling(spec *v1.FrameworkSpec) (*lifecycle.State, lifecycle.Observed) {
	in := inputOf(nil, spec)
	in.Saved = lifecycle.Step(in).State
	in.Observed.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: "cm", Cached: true, FrameworkUID: "f"}
	return lifecycle.Step(in).State, in.Observed
}
