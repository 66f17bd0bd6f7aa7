package lifecycle_test

import (
	"path/filepath"
	"testing"
	"time"

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
			if err != nil {
				t.Fatal(err)
			}
			out := lifecycle.Step(lifecycle.Input{
				Framework: lifecycle.Framework{Name: f.Name, UID: f.UID, Generation: f.Generation, Spec: &f.Spec},
				Saved:     saved,
				Observed:  worldOf(f.UID, saved),
				Config:    lifecycletest.Config(),
				Now:       f.Status.TransitionTime.Add(time.Second),
			})
			if len(out.Actions) > 0 || len(out.Moves) > 0 || out.Again {
				t.Errorf("actions %v, moves %v, again %v", out.Actions, out.Moves, out.Again)
			}
		})
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
