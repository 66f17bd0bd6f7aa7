package controller

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

func suspended(s *v1.FrameworkSpec) { s.Suspend = new(true) }

// setSuspend suspends a Framework, or resumes it, as users do.
func (w *world) setSuspend(name string, suspend bool) {
	w.t.Helper()
	w.Edit(apitest.Frameworks, name, func(o *unstructured.Unstructured) {
		require.NoError(w.t, unstructured.SetNestedField(o.Object, suspend, "spec", "suspend"))
		o.SetGeneration(o.GetGeneration() + 1)
	})
}

// A Framework that is suspended loses its Pods, and gets others when it is resumed; over a restart, too.
func TestSuspendAndResume(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2))
	w.setSuspend("a", true)
	w.reaches("a", v1.AttemptCompleted)
	w.conditionBecomes("a", v1.ConditionSuspended, "True because Suspended")
	w.eventually("its Pods have gone", func() bool { return w.Get(apitest.Pods, "a-w-0") == nil && w.Get(apitest.Pods, "a-w-1") == nil })
	w.restart()
	w.running("b")
	w.never("anything is created", func() bool { return len(w.Requests("create configmaps a-attempt")) > 1 })
	w.setSuspend("a", false)
	w.runs("a")
	status := w.status("a")
	want := v1.RetryPolicyStatus{TotalRetriedCount: 1}
	if !reflect.DeepEqual(status.RetryPolicyStatus, want) {
		t.Errorf("got %+v", status.RetryPolicyStatus)
	}
	w.conditionBecomes("a", v1.ConditionSuspended, "False because Resumed")
}

// One that is suspended from the beginning gets a status, and nothing else.
func TestSuspendedFromTheBeginning(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", suspended)
	w.conditionBecomes("a", v1.ConditionSuspended, "True because Suspended")
	w.running("b")
	if made := slices.Concat(w.Requests("create configmaps a-attempt"), w.Requests("create pods a-w-0")); len(made) > 0 {
		t.Errorf("got %v", made)
	}
	w.setSuspend("a", false)
	w.runs("a")
}

// A creation requested before a suspension that still waits for its turn is dropped.
func TestSuspensionOvertakesCreations(t *testing.T) {
	w := newWorld(t)
	w.create("a")
	state := lifecycle.Step(lifecycle.Input{Framework: lifecycle.Framework{Name: "a", UID: "u", Spec: &v1.FrameworkSpec{}}}).State
	r := &record{memory: memory{framework: lifecycle.Framework{Spec: &v1.FrameworkSpec{}}, desired: &desired{}}}
	for _, suspend := range []bool{false, true, false} {
		r.framework.Spec.Suspend = &suspend
		r.desired.set(state, createsNothing(&r.framework))
		if wants := r.desired.wants(lifecycle.CreateConfigMap{}); wants == suspend {
			t.Errorf("suspended: %v, but it wants a ConfigMap: %v", suspend, wants)
		}
	}
}

// A Framework that is suspended takes no memory from others; when it is resumed, it has to fit.
func TestSuspendedMakesRoom(t *testing.T) {
	t.Parallel()
	w := boundedWorld(t, flowcontrol.MemoryLimits{Namespace: roomForMany})
	w.create("a", tasks(manyTasks))
	w.reaches("a", v1.AttemptPreparing)
	w.create("b", tasks(manyTasks))
	w.conditionBecomes("b", v1.ConditionWaiting, leftOutReason)
	w.setSuspend("a", true)
	w.reaches("a", v1.AttemptCompleted)
	w.reaches("b", v1.AttemptPreparing)
}
