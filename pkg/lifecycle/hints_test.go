package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

func hintsFor(scale string) *v1.SchedulerHints {
	return &v1.SchedulerHints{Plugin: "hived", Scale: scale, Answer: json.RawMessage(`{}`)}
}

// hinted returns a running gang of two Tasks that was created with the stored hints and has since been scaled to `tasks`.
func hinted(t *testing.T, stored string, tasks int32) lifecycle.Input {
	t.Helper()
	before, observed := running(t, retrying(2))
	status := before.Status()
	status.AttemptStatus.SchedulerHints = hintsFor(stored)
	state, err := lifecycle.Load(status)
	require.NoError(t, err)
	in := inputOf(state, retrying(tasks))
	in.Observed, in.Asking.Hints = observed, true
	return in
}

// If no hints arrive for a rescale, or they cannot be prepared, only new Tasks are held back. A Task that had a Pod gets its next
// one by the stored hints.
func TestRetriesDoNotWaitForARescale(t *testing.T) {
	tests := map[string]struct {
		stored string
		view   lifecycle.HintsView
		want   string
	}{
		"no hints":                      {"r0=2", lifecycle.HintsView{Prepared: "r0=2"}, "ask hints r0=3"},
		"no hints, restarted":           {"r0=2", lifecycle.HintsView{}, "ask hints r0=3"},
		"they are not ready":            {"r0=3", lifecycle.HintsView{Prepared: "r0=2", Answer: hintsFor("r0=3")}, "prepare hints r0=3"},
		"they are not ready, restarted": {"r0=3", lifecycle.HintsView{}, "prepare hints r0=3"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := hinted(t, test.stored, 3)
			in.Observed.Hints = test.view
			if got := settled(&in); got != "["+test.want+"]" {
				t.Errorf("with nothing but a new Task, it asks for %s", got)
			}
			in.Observed.Pods[lifecycle.TaskRef{Role: "r0"}] = lifecycle.PodView{Gone: "r0-0"}
			if got, want := settled(&in), "[create pod r0-0 attempt=1 "+test.want+"]"; got != want {
				t.Errorf("it asks for %s, want %s", got, want)
			}
			in.Observed.Hints = lifecycle.HintsView{Prepared: "r0=3", Answer: hintsFor("r0=3")}
			if got, want := settled(&in), "[create pod r0-0 attempt=1 create pod r0-2 attempt=0]"; got != want {
				t.Errorf("with hints for the new scale, it asks for %s, want %s", got, want)
			}
		})
	}
}

// A Task that was removed and is added again is a new Task.
func TestTaskThatComesBackWaits(t *testing.T) {
	in := hinted(t, "r0=2", 1)
	second := lifecycle.TaskRef{Role: "r0", Index: 1}
	in.Observed.Hints.Prepared = "r0=2"
	settled(&in)
	in.Observed.Pods[second] = lifecycle.PodView{Gone: "r0-1"}
	in.Observed.Hints = lifecycle.HintsView{Prepared: "r0=1", Answer: hintsFor("r0=1")}
	settled(&in)
	in.Framework.Spec = retrying(2)
	if got, want := settled(&in), "[ask hints r0=2]"; got != want {
		t.Errorf("it asks for %s, want %s", got, want)
	}
}

// A Task that completes in the round that gives another one its Pod is asked about at once: there may be no further round.
func TestHintsFollowTaskOfTheSameRound(t *testing.T) {
	in := hinted(t, "r0=2", 2)
	in.Observed.Hints = lifecycle.HintsView{Prepared: "r0=2", FollowTasks: true}
	in.Observed.Pods[lifecycle.TaskRef{Role: "r0"}] = lifecycle.PodView{Gone: "r0-0"}
	settled(&in)
	in.Framework.Spec = roles(2)
	in.Framework.Spec.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = -1
	in.Observed.Pods[lifecycle.TaskRef{Role: "r0", Index: 1}] = lifecycle.PodView{Gone: "r0-1"}
	out := lifecycle.Step(in)
	if got, want := fmt.Sprint(out.Actions), "[create pod r0-0 attempt=1 ask hints r0=2-1]"; got != want {
		t.Errorf("it asks for %s, want %s", got, want)
	}
}
