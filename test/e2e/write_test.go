package e2e

import (
	"context"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// create creates a Framework of that name with the spec given as YAML.
func (s *story) create(name, spec string) {
	s.t.Helper()
	require.NoError(s.t, s.tryCreate(s.t.Context(), name, spec))
}

func (s *story) tryCreate(ctx context.Context, name, spec string) error {
	f := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal([]byte("spec: "+spec), &f.Object); err != nil {
		return fmt.Errorf("spec of framework %s: %w", name, err)
	}
	f.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
	f.SetName(name)
	_, err := s.raw.Create(ctx, f, metav1.CreateOptions{})
	return err
}

// pod is a template, in YAML, of Pods with one container. The pairs are the simulated nodes' instructions, by the names of the annotations
// in ../cluster/stages.yaml; without any, a Pod runs for ever.
func pod(simulate ...string) string {
	var annotations []string
	for i := 0; i < len(simulate); i += 2 {
		annotations = append(annotations, fmt.Sprintf("simulate.frameworkcontroller.io/%s: %q", simulate[i], simulate[i+1]))
	}
	return fmt.Sprintf("{metadata: {annotations: {%s}}, spec: {restartPolicy: Never, containers: [{name: c, image: app}]}}",
		strings.Join(annotations, ", "))
}

// roleOf is a spec, in YAML, with one role, named a, of `tasks` Tasks.
func roleOf(tasks int, template string) string {
	return fmt.Sprintf("{taskRoles: [{name: a, taskNumber: %d, task: {pod: %s}}]}", tasks, template)
}

// patch changes a Framework with a merge patch, or with a JSON patch if it is a list. Both may be given as YAML.
func (s *story) patch(name, patch string) {
	s.t.Helper()
	s.patchPart(name, patch)
}

// patchStatus changes the status as somebody with too many permissions would.
func (s *story) patchStatus(name, patch string) {
	s.t.Helper()
	s.uncheck() // we store a status that the controller has not stored
	s.patchPart(name, "status: "+patch, "status")
}

func (s *story) patchPart(name, patch string, subresource ...string) {
	s.t.Helper()
	kind := types.MergePatchType
	if strings.HasPrefix(patch, "[") {
		kind = types.JSONPatchType
	}
	body, err := yaml.ToJSON([]byte(patch))
	require.NoError(s.t, err)
	if _, err := s.raw.Patch(s.t.Context(), name, kind, body, metav1.PatchOptions{}, subresource...); err != nil {
		s.t.Fatalf("patching framework %s with %s: %v", name, patch, err)
	}
}

// scaleTo is a JSON patch that changes the scale of the first role, named a, and its policy with it.
func scaleTo(n int) string {
	return fmt.Sprintf(`[
		{op: test, path: /spec/taskRoles/0/name, value: a},
		{op: replace, path: /spec/taskRoles/0/taskNumber, value: %[1]d},
		{op: replace, path: /spec/taskRoles/0/frameworkAttemptCompletionPolicy/minFailedTaskCount, value: %[1]d}]`, n)
}

// delete asks for the deletion of a Framework.
func (s *story) delete(name string, how metav1.DeletionPropagation) {
	s.t.Helper()
	require.NoError(s.t, s.frameworks.Delete(s.t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &how}))
}

func (s *story) deletePod(name string) {
	s.t.Helper()
	background := metav1.DeletePropagationBackground // as kubectl does; the cluster's guard requires it for a Pod without a node
	require.NoError(s.t, s.pods.Delete(s.t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background}))
}

// endTermination removes a Pod that terminates for long.
func (s *story) endTermination(pod string) {
	s.t.Helper()
	require.NoError(s.t, s.pods.Delete(s.t.Context(), pod, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
}

func (s *story) deleteConfigMap(name string) {
	s.t.Helper()
	require.NoError(s.t, s.configMaps.Delete(s.t.Context(), name, metav1.DeleteOptions{}))
}

// createForeignPod makes a Pod that has nothing to do with any Framework.
func (s *story) createForeignPod(name string) *corev1.Pod {
	s.t.Helper()
	pod, err := s.pods.Create(s.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "other"}}},
	}, metav1.CreateOptions{})
	require.NoError(s.t, err)
	return until(s, thePods, pod.Name, "running", isRunning)
}
