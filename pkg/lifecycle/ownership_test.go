package lifecycle_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// The attempt's own ConfigMap decides on the ownership of a Pod. A Pod owned by an earlier ConfigMap, or by a Framework, is
// neither adopted nor deleted, even if it claims this very Task and attempt.
func TestPodOfAnotherConfigMap(t *testing.T) {
	for _, controller := range []string{"", "an-earlier-one", "f"} {
		state, observed := idling(roles(0))
		spec := roles(1)
		in := inputOf(state, spec)
		in.Observed = observed
		in.Saved = lifecycle.Step(in).State
		ref := lifecycle.TaskRef{Role: "r0"}
		task := in.Saved.Task(ref)
		pod := &lifecycle.Pod{UID: "p", Cached: true, TaskUID: task.InstanceUID, Phase: lifecycle.PodRunning}
		pod.ConfigMapUID = "cm"
		in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{ref: {Pod: pod}}
		if got := lifecycle.Step(in).State.Task(ref); got.State == v1.AttemptCreationPending {
			t.Fatalf("one of its own is not adopted: %s", text(got))
		}
		foreign := *pod
		foreign.ConfigMapUID = types.UID(controller)
		in.Observed.Pods[ref] = lifecycle.PodView{Pod: &foreign}
		out := lifecycle.Step(in)
		if got := out.State.Task(ref); got.State != v1.AttemptCreationPending || got.AttemptStatus.PodUID != nil {
			t.Errorf("controlled by %q: %s", controller, text(got))
		}
		if got := fmt.Sprint(out.Actions); got != "[create pod r0-0 attempt=0]" {
			t.Errorf("controlled by %q: asks for %s", controller, got)
		}
	}
}
