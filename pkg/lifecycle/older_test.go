package lifecycle_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// TestTakeOverOfOlderStatuses: early versions of the original gave roles and Tasks no instance UIDs. Their Frameworks continue
// all the same, and no UID is made up for a running Task.
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

// A Task without an instance UID gets one before its next Pod, which is then recognized as its own.
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

// An instance UID can be derived from other stored fields, so nothing depends on its presence.
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

// A Framework that has lost its status begins again, even if the ConfigMap of its attempt exists and hints are wanted.
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

// drawnAlong is a running gang of two with a third Task that the scheduler has not let have a Pod yet, as an earlier version has
// left it: others have started again, and that was counted as an attempt of the third, which was on the given node.
func drawnAlong(t *testing.T, node string, change func(*v1.TaskStatus)) lifecycle.Input {
	t.Helper()
	in := hinted(t, "r0=2", 3)
	in.Observed.Hints.Prepared = "r0=2"
	settled(&in)
	status := in.Saved.Status()
	third := &status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[2]
	peers := completion.Predefined(completion.CodeRestartedWithPeers, "")
	third.RetryPolicyStatus.TotalRetriedCount, third.AttemptStatus.ID = 1, 1
	third.EarlierAttempts = []v1.EarlierTaskAttempt{{Code: peers.Code, Phrase: peers.Phrase, Type: peers.Type, Node: node}}
	change(third)
	state, err := lifecycle.Load(status)
	require.NoError(t, err)
	in.Saved = state
	return in
}

// A Task that never had a Pod waits for its scheduler, even if an earlier version has counted attempts for it.
func TestCountedAttemptWithoutPodWaitsForScheduler(t *testing.T) {
	for node, want := range map[string]string{"": "[ask hints r0=3]", "node1": "[create pod r0-2 attempt=1 ask hints r0=3]"} {
		in := drawnAlong(t, node, func(*v1.TaskStatus) {})
		if got := settled(&in); got != want {
			t.Errorf("after an attempt on node %q it asks for %s, want %s", node, got, want)
		}
	}
}

// If an earlier version was about to end an attempt without a Pod by a restart, it ends so, and the next attempt waits for the
// scheduler.
func TestAttemptWithoutPodThatWasBeingEnded(t *testing.T) {
	in := drawnAlong(t, "", func(third *v1.TaskStatus) {
		third.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(completion.CodeRestartedWithPeers, "")}
		third.AttemptStatus.Restart = &v1.TaskRestart{Scope: v1.RestartRole, TaskRoleName: "r0"}
	})
	third := lifecycle.TaskRef{Role: "r0", Index: 2}
	if got, want := settled(&in), "[read pod r0-2 ask hints r0=3]"; got != want {
		t.Errorf("it asks for %s, want %s", got, want)
	}
	in.Observed.Pods[third] = lifecycle.PodView{Asked: true}
	if got, want := settled(&in), "[ask hints r0=3]"; got != want || in.Saved.Task(third).AttemptStatus.ID != 2 {
		t.Errorf("it asks for %s, want %s; the Task is %s", got, want, text(in.Saved.Task(third)))
	}
}

// A controller of before did not count Tasks that were cut short. The count is written with the next change, and is worth no
// write of its own.
func TestCutShortOfAnOlderStatus(t *testing.T) {
	spec := roles(2)
	state, observed := running(t, spec)
	spec.ExecutionType = v1.ExecutionStop
	in := inputOf(state, spec)
	for range 10 {
		in.Observed = observed
		out := lifecycle.Step(in)
		in.Saved = out.State
		for ref, view := range observed.Pods {
			observed.Pods[ref] = lifecycle.PodView{Gone: view.Pod.UID, Pod: view.Pod}
		}
		observed.ConfigMap.Gone = observed.ConfigMap.ConfigMap.UID
	}
	status := in.Saved.Status()
	require.Equal(t, v1.Completed, status.State)
	require.Equal(t, v1.TaskCounts{Total: 2, Failed: 2, CutShort: 2}, *status.Tasks)

	status.Tasks.CutShort = 0
	older, err := lifecycle.Load(status)
	require.NoError(t, err)
	in.Saved = older
	require.Same(t, older, lifecycle.Step(in).State)
	in.Framework.Generation++
	require.Equal(t, int32(2), lifecycle.Step(in).State.Framework().Tasks.CutShort)
}
