package lifecycle_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// TestTakeOver: a Framework that the original was running is carried on without creating, deleting or moving
// anything (P7). Only the fields that are new here are added.
func TestTakeOver(t *testing.T) {
	paths, err := filepath.Glob("../apis/frameworkcontroller/v1/testdata/recorded/framework-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d recorded Frameworks, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := readFramework(t, path)
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
			got := out.State.Status()
			got.Conditions, got.ObservedGeneration, got.Tasks, got.Gate = nil, 0, nil, ""
			if text(got) != text(f.Status) {
				t.Errorf("got  %s\nwant %s", text(got), text(f.Status))
			}
		})
	}
}

// A Framework that an earlier release has left is carried on as well: an upgrade creates, deletes and moves nothing.
func TestTakeOverOfReleases(t *testing.T) {
	paths, err := filepath.Glob("../../test/releases/testdata/*/frameworks/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d stored Frameworks, %v", len(paths), err)
	}
	for _, path := range paths {
		name, err := filepath.Rel("../../test/releases/testdata", path)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			var f v1.Framework
			require.NoError(t, yaml.UnmarshalStrict(content, &f))
			saved, err := lifecycle.Load(f.Status)
			require.NoError(t, err)
			observed := worldOf(f.UID, saved)
			for ref, pod := range observed.Pods {
				if pod.Pod.NodeName == "" {
					pod.Pod.Phase = lifecycle.PodPending
					observed.Pods[ref] = pod
				}
			}
			out := lifecycle.Step(lifecycle.Input{
				Framework: lifecycle.Framework{Name: f.Name, UID: f.UID, Generation: f.Generation, Spec: &f.Spec},
				Saved:     saved,
				Observed:  observed,
				Config:    lifecycletest.Config(),
				Now:       f.Status.TransitionTime.Add(time.Second),
			})
			if len(out.Actions) > 0 || len(out.Moves) > 0 || out.Requeue {
				t.Errorf("actions %v, moves %v, requeue %v", out.Actions, out.Moves, out.Requeue)
			}
		})
	}
}

// worldOf is a cluster in which everything is as the state has recorded it.
func worldOf(framework types.UID, state *lifecycle.State) lifecycle.Observed {
	o := lifecycle.Observed{Pods: map[lifecycle.TaskRef]lifecycle.PodView{}}
	attempt := state.Framework().AttemptStatus
	if attempt.ConfigMapUID == nil || ended(state.Framework().State) {
		return o
	}
	o.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: *attempt.ConfigMapUID, Cached: true, FrameworkUID: framework, AttemptID: attempt.ID}
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		a := task.AttemptStatus
		if a.PodUID == nil || ended(task.State) {
			return
		}
		o.Pods[ref] = lifecycle.PodView{Pod: &lifecycle.Pod{
			UID: *a.PodUID, Cached: true, ConfigMapUID: *attempt.ConfigMapUID, TaskUID: task.InstanceUID, TaskAttemptID: a.ID,
			Phase: lifecycle.PodRunning, NodeName: *a.PodNodeName, IP: *a.PodIP, HostIP: *a.PodHostIP,
		}}
	})
	return o
}
