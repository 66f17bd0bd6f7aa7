package controller

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// running creates a Framework of one Task and waits until its Pod runs.
func (w *world) running(name string, edits ...func(*v1.FrameworkSpec)) {
	w.t.Helper()
	w.create(name, edits...)
	w.runs(name)
}

func (w *world) runs(name string) {
	w.t.Helper()
	w.taskReaches(name, "w", 0, v1.AttemptPreparing)
	w.RunPod(v1.PodName(name, "w", 0))
	w.reaches(name, v1.AttemptRunning)
}

// create stores a Framework that has, unless an edit changes it, one role "w" with one Task, and no retries.
func (w *world) create(name string, edits ...func(*v1.FrameworkSpec)) {
	w.t.Helper()
	w.Create(apitest.Frameworks, framework(w.t, name, edits...))
}

func framework(t *testing.T, name string, edits ...func(*v1.FrameworkSpec)) *unstructured.Unstructured {
	t.Helper()
	f := &v1.Framework{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: v1.FrameworkKind},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.FrameworkSpec{ExecutionType: v1.ExecutionStart, TaskRoles: []v1.TaskRoleSpec{role("w", 1)}},
	}
	for _, edit := range edits {
		edit(&f.Spec)
	}
	return asTree(t, f)
}

func asTree(t *testing.T, o any) *unstructured.Unstructured {
	t.Helper()
	data, err := json.Marshal(o)
	require.NoError(t, err)
	out := map[string]any{}
	require.NoError(t, json.Unmarshal(data, &out))
	return &unstructured.Unstructured{Object: out}
}

func role(name string, tasks int32) v1.TaskRoleSpec {
	return v1.TaskRoleSpec{
		Name:                             name,
		TaskNumber:                       tasks,
		FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: 1, MinSucceededTaskCount: -1},
		Task:                             v1.TaskSpec{Pod: v1.PodTemplate(`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}]}}`)},
	}
}

func roles(roles ...v1.TaskRoleSpec) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles = slices.Clone(roles) } // others may edit them
}

func tasks(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].TaskNumber = n }
}

func taskRetries(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = n }
}

// memoryUpTo makes the container main begin with a memory limit that can be raised to the maximum.
func memoryUpTo(most, limit string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.RetryPolicy.OnOOM = &v1.OnOOMSpec{MemoryFactor: "2", MaxMemory: most}
		s.TaskRoles[0].Task.Pod = v1.PodTemplate(`{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"app","resources":{"limits":{"memory":"` + limit + `"}}}]}}`)
	}
}

func frameworkRetries(n int32) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.RetryPolicy.MaxRetryCount = n }
}

func gracefulTimeoutSec(n int64) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.PodGracefulDeletionTimeoutSec = &n }
}

func template(pod string) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.Pod = v1.PodTemplate(pod) }
}

// respec replaces the spec by one built as create builds it.
func (w *world) respec(name string, edits ...func(*v1.FrameworkSpec)) {
	w.t.Helper()
	w.Edit(apitest.Frameworks, name, func(o *unstructured.Unstructured) {
		o.Object["spec"] = framework(w.t, name, edits...).Object["spec"]
	})
}

// stopFramework asks for the Framework's end, as users do.
func (w *world) stopFramework(name string) {
	w.Set(apitest.Frameworks, name, string(v1.ExecutionStop), "spec", "executionType")
}

// foreign is an object that was not created for a Framework, although it has the name of one that was.
func foreign(resource, name string) *unstructured.Unstructured {
	kind := map[string]any{apitest.Pods: "Pod", apitest.ConfigMaps: "ConfigMap"}[resource]
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	o.SetName(name)
	return o
}

// failsTimes makes the only Task of a Framework fail n times, each time in another Pod, until the Framework has completed.
func (w *world) failsTimes(n int) {
	w.t.Helper()
	for range n {
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		uid := w.Get(apitest.Pods, "a-w-0").GetUID()
		w.EndPod("a-w-0", 1)
		w.eventually("the Pod has gone", func() bool {
			pod := w.Get(apitest.Pods, "a-w-0")
			return pod == nil || pod.GetUID() != uid
		})
	}
	w.reaches("a", v1.Completed)
}
