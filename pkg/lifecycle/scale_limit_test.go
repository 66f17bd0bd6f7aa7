package lifecycle_test

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Roles without Tasks may be scaled to more than a status could ever have.
func TestScaledBeyondTheRoom(t *testing.T) {
	spec := roles(make([]int32, 200)...)
	state := lifecycle.Step(inputOf(nil, spec)).State
	for i := range spec.TaskRoles {
		spec.TaskRoles[i].TaskNumber = 10_000
	}
	state = lifecycle.Step(inputOf(state, spec)).State
	if n := taskNumber(state); n != v1.MaxTasks {
		t.Errorf("there are %d Tasks", n)
	}
	if why := waitsFor(state); why != reason.TooManyTasks {
		t.Errorf("it waits for %q", why)
	}
}

// A Framework with as many Tasks as there may be gets no more, and can be stopped and scaled down.
func TestNoMoreRoom(t *testing.T) {
	state, observed := running(t, roles(10_000, 10_000))
	step := func(spec *v1.FrameworkSpec) lifecycle.Output {
		in := inputOf(state, spec)
		in.Observed = observed
		return lifecycle.Step(in)
	}
	stopped := roles(10_000, 10_000, 10_000)
	stopped.ExecutionType = v1.ExecutionStop
	for name, test := range map[string]struct {
		spec    *v1.FrameworkSpec
		removed int32
		state   v1.State
		waits   reason.Waiting
	}{
		"grown":       {roles(10_000, 10_000, 10_000), 0, v1.AttemptRunning, reason.TooManyTasks},
		"stopped":     {stopped, 0, v1.AttemptDeletionPending, ""},
		"scaled down": {roles(1, 10_000), 9_999, v1.AttemptRunning, ""},
		"exchanged":   {roles(10_000, 0, 10_000), 10_000, v1.AttemptRunning, ""},
	} {
		next := step(test.spec).State
		if n := taskNumber(next); n != v1.MaxTasks {
			t.Errorf("%s: there are %d Tasks", name, n)
		}
		f := next.Framework()
		if f.Tasks.Total != v1.MaxTasks-test.removed || f.State != test.state || waitsFor(next) != test.waits {
			t.Errorf("%s: %d Tasks count, it is in %s and waits for %q", name, f.Tasks.Total, f.State, waitsFor(next))
		}
	}
}

// The stored status may have more Tasks, written by another controller. It keeps them, even in its next attempt.
func TestMoreThanThereIsRoomFor(t *testing.T) {
	spec := roles(4, 3)
	spec.RetryPolicy.MaxRetryCount = v1.RetryAlways
	state, observed := running(t, spec)
	in := inputOf(state, spec)
	in.Config.MaxTasks, in.Observed = 5, observed
	out := lifecycle.Step(in)
	if out.State != state {
		t.Errorf("it has become %s", text(out.State.Status()))
	}
	in.Observed.ConfigMap.Gone = "cm"
	for range 2 {
		in.Saved = lifecycle.Step(in).State
	}
	if f := in.Saved.Framework(); f.AttemptStatus.ID != 1 || f.Tasks.Total != 7 {
		t.Errorf("attempt %d has %d Tasks", f.AttemptStatus.ID, f.Tasks.Total)
	}
	in.Framework.Spec = roles(4, 5)
	if n := taskNumber(lifecycle.Step(in).State); n != 7 {
		t.Errorf("there are %d Tasks", n)
	}
}

// waitsFor returns the reason of the condition Waiting while it is true.
func waitsFor(state *lifecycle.State) reason.Waiting {
	for _, c := range state.Framework().Conditions {
		if c.Type == v1.ConditionWaiting && c.Status == "True" {
			return reason.Waiting(c.Reason)
		}
	}
	return ""
}
