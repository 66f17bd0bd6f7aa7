package lifecycle_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// TestTakeOverOfOlderStatuses: early versions of the original gave roles and Tasks no instance UIDs. What they left
// behind is carried on all the same, without one being made up for what runs already.
func TestTakeOverOfOlderStatuses(t *testing.T) {
	paths, err := filepath.Glob("../apis/frameworkcontroller/v1/testdata/recorded/framework-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d recorded Frameworks, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := readFramework(t, path)
			forgetInstances(f.Status)
			saved, err := lifecycle.Load(f.Status)
			require.NoError(t, err)
			out := lifecycle.Step(lifecycle.Input{
				Framework: lifecycle.Framework{Name: f.Name, UID: f.UID, Generation: f.Generation, Spec: &f.Spec},
				Saved:     saved,
				Observed:  worldOf(f.UID, saved),
				Config:    lifecycletest.Config(),
				Now:       f.Status.TransitionTime.Add(time.Second),
			})
			if len(out.Actions) > 0 || len(out.Moves) > 0 || out.Requeue {
				t.Errorf("actions %v, moves %v, requeue %v", out.Actions, out.Moves, out.Requeue)
			}
		})
	}
}

// A Task without an instance UID gets one before it gets its next Pod, which is then known as its own.
func TestTaskOfAnOlderStatusIsRetried(t *testing.T) {
	spec := roles(1)
	spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = v1.RetryAlways
	state, observed := running(t, spec)
	status := state.Status()
	forgetInstances(status)
	saved, err := lifecycle.Load(status)
	require.NoError(t, err)
	ref := lifecycle.TaskRef{Role: "r0"}
	in := inputOf(saved, spec)
	in.Observed = observed
	in.Observed.Pods[ref] = lifecycle.PodView{Gone: "r0-0"}
	var creations []lifecycle.CreatePod
	for range 10 {
		out := lifecycle.Step(in)
		for _, a := range out.Actions {
			c, ok := a.(lifecycle.CreatePod)
			if !ok {
				t.Fatalf("action %v", a)
			}
			if c.TaskUID == "" || c.TaskUID != in.Saved.Task(ref).InstanceUID {
				t.Errorf("a Pod for the Task %q is created before that is stored", c.TaskUID)
			}
			creations = append(creations, c)
			pod := &lifecycle.Pod{UID: "p1", ConfigMapUID: "cm", TaskUID: c.TaskUID, TaskAttemptID: c.AttemptID, Cached: true, Phase: lifecycle.PodRunning}
			in.Observed.Pods[ref] = lifecycle.PodView{Gone: "r0-0", Pod: pod}
		}
		in.Saved = out.State
	}
	if task := in.Saved.Task(ref); len(creations) != 1 || task.State != v1.AttemptRunning || task.AttemptStatus.ID != 1 {
		t.Errorf("%d Pods were created, and the Task is %s", len(creations), text(task))
	}
}

// An instance UID is made of what else is stored, so nothing depends on its being there.
func TestAttemptWithoutInstanceUID(t *testing.T) {
	spec := roles(2)
	state, observed := running(t, spec)
	status := state.Status()
	status.AttemptStatus.InstanceUID = nil
	saved, err := lifecycle.Load(status)
	require.NoError(t, err)
	in := inputOf(saved, spec)
	in.Observed = observed
	in.Observed.Pods[lifecycle.TaskRef{Role: "r0"}] = lifecycle.PodView{Gone: "r0-0"}
	in.Asking.Completion = true
	asked := false
	for range 5 {
		out := lifecycle.Step(in)
		for _, a := range out.Actions {
			_, decides := a.(lifecycle.DecideCompletion)
			asked = asked || decides
		}
		in.Saved = out.State
	}
	if !asked {
		t.Error("no completion policy is asked")
	}
}

// A Framework that has lost its status begins again, also if the ConfigMap of its attempt is there, and hints are wanted.
func TestStatusWasRemoved(t *testing.T) {
	in := inputOf(nil, roles(1))
	in.Observed.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: "cm", Cached: true, FrameworkUID: in.Framework.UID}
	in.Asking.Hints = true
	out := lifecycle.Step(in)
	if len(out.Actions) > 0 && out.Requeue {
		t.Errorf("actions %v in a round whose state is to be stored first", out.Actions)
	}
	in.Saved = out.State
	asked := false
	for range 5 {
		out = lifecycle.Step(in)
		for _, a := range out.Actions {
			_, asks := a.(lifecycle.AskHints)
			asked = asked || asks
		}
		in.Saved = out.State
	}
	if !asked {
		t.Errorf("no hints are asked for: %s", text(in.Saved.Framework()))
	}
}

func forgetInstances(status *v1.FrameworkStatus) {
	roles := status.AttemptStatus.TaskRoleStatuses
	for i := range roles {
		roles[i].InstanceUID = ""
		for j := range roles[i].TaskStatuses {
			roles[i].TaskStatuses[j].InstanceUID = ""
		}
	}
}
