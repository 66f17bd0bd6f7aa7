package lifecycle_test

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// created returns the Tasks whose Pods a round creates.
func created(out lifecycle.Output) (refs []lifecycle.TaskRef) {
	for _, a := range out.Actions {
		if create, ok := a.(lifecycle.CreatePod); ok {
			refs = append(refs, create.Task)
		}
	}
	return refs
}

// A creation may be under way when the parallelism is reduced, and be refused for now, as by a quota. It is not tried again before the
// Task has its turn.
func TestParallelismReducedDuringCreation(t *testing.T) {
	spec := roles(3)
	spec.TaskRoles[0].Parallelism = new(int32(3))
	in := inputOf(nil, spec)
	in.Saved = lifecycle.Step(in).State
	in.Observed.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: "cm", Cached: true, FrameworkUID: "f"}
	in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{}
	var out lifecycle.Output
	for range 3 {
		out = lifecycle.Step(in)
		in.Saved = out.State
	}
	refs := created(out)
	if len(refs) != 3 {
		t.Fatalf("%d Pods are created", len(refs))
	}
	for _, ref := range refs {
		in.Observed.Pods[ref] = lifecycle.PodView{Unsure: true}
	}
	reduced := *spec
	reduced.TaskRoles = []v1.TaskRoleSpec{spec.TaskRoles[0]}
	reduced.TaskRoles[0].Parallelism = new(int32(1))
	in.Framework.Spec, in.Framework.Generation = &reduced, 1
	out = lifecycle.Step(in)
	in.Saved = out.State
	in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{}
	for _, ref := range refs {
		in.Observed.Pods[ref] = lifecycle.PodView{}
	}
	for _, partial := range []bool{false, true} {
		in.Observed.Partial = partial
		if refs := created(lifecycle.Step(in)); len(refs) != 1 || refs[0].Index != 0 {
			t.Errorf("partial %t: creates %v", partial, refs)
		}
	}
}
