package kubectl

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/util/retry"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// scene is a namespace, with actions of a test in it.
type scene struct {
	*testing.T
	namespace string
}

func newScene(t *testing.T, namespace string) *scene {
	t.Helper()
	_, err := core.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	clustertest.Eventually(t, patience, func(ctx context.Context) error { // until then, Pods are refused
		_, err := core.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return &scene{t, namespace}
}

// create makes a Framework of a spec in YAML.
func (s *scene) create(name, spec string) {
	s.Helper()
	f := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: %s, kind: Framework, metadata: {name: %s}, spec: %s}", v1.SchemeGroupVersion, name, spec)
	require.NoError(s, yaml.Unmarshal([]byte(text), &f.Object))
	_, err := raw.Namespace(s.namespace).Create(s.Context(), f, metav1.CreateOptions{})
	require.NoError(s, err)
}

// until waits until a Framework is as wanted.
func (s *scene) until(name, what string, is func(*v1.Framework) bool) *v1.Framework {
	s.Helper()
	var f *v1.Framework
	s.eventually(100*time.Millisecond, func(ctx context.Context) (err error) {
		if f, err = frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if !is(f) {
			text, _ := json.Marshal(f.Status)
			return fmt.Errorf("%s is not %s: %s", name, what, text)
		}
		return nil
	})
	return f
}

// eventually tries at some distance, as many stories do so at a time.
func (s *scene) eventually(every time.Duration, try func(context.Context) error) {
	s.Helper()
	var last error
	err := wait.PollUntilContextTimeout(s.Context(), every, patience, true, func(ctx context.Context) (bool, error) {
		last = try(ctx)
		return last == nil, nil
	})
	if err != nil {
		s.Fatalf("not within %s: %v", patience, last)
	}
}

func completed(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed }

// runs reports whether all Tasks run.
func runs(f *v1.Framework) bool {
	return f.Status != nil && f.Status.Tasks != nil && f.Status.Tasks.Total > 0 && f.Status.Tasks.Running == f.Status.Tasks.Total
}

func waits(reason string) func(*v1.Framework) bool {
	return func(f *v1.Framework) bool {
		if f.Status == nil {
			return false
		}
		c := meta.FindStatusCondition(f.Status.Conditions, v1.ConditionWaiting)
		return c != nil && c.Status == metav1.ConditionTrue && c.Reason == reason
	}
}

// hasState reports whether a Framework is in a state.
func hasState(state v1.State) func(*v1.Framework) bool {
	return func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == state }
}

func (s *scene) patch(name, patch string) {
	s.Helper()
	_, err := raw.Namespace(s.namespace).Patch(s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(s, err)
}

// patchJSON applies a JSON patch.
func (s *scene) patchJSON(name, patch string) {
	s.Helper()
	_, err := raw.Namespace(s.namespace).Patch(s.Context(), name, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(s, err)
}

// writePod writes the status of a Pod, as its node would, once the Pod has a node.
func (s *scene) writePod(name string, change func(*corev1.PodStatus)) {
	s.Helper()
	s.eventually(100*time.Millisecond, func(ctx context.Context) error {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			pod, err := core.CoreV1().Pods(s.namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if pod.Spec.NodeName == "" {
				return fmt.Errorf("pod %s has no node", name)
			}
			change(&pod.Status)
			_, err = core.CoreV1().Pods(s.namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
			return err
		})
	})
}

// waitingContainer lets the node of a held Pod report why it cannot start the container.
func waitingContainer(reason, message string) func(*corev1.PodStatus) {
	return func(status *corev1.PodStatus) {
		began := metav1.NewTime(time.Now().Add(-10 * time.Second))
		status.StartTime = &began
		status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: "app",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
	}
}

// deletePod deletes an existing Pod, as a user would.
func (s *scene) deletePod(name string) {
	s.Helper()
	require.NoError(s, core.CoreV1().Pods(s.namespace).Delete(s.Context(), name, metav1.DeleteOptions{}))
}

// makePod creates a Pod that belongs to nobody, with that name and labels.
func (s *scene) makePod(name string, labels map[string]string) {
	s.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "app"}}}}
	_, err := core.CoreV1().Pods(s.namespace).Create(s.Context(), pod, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(s, err)
	}
}

// role is one role: its number of Tasks, annotations for the simulation (see stages.yaml), and more fields in YAML.
type role struct {
	name      string // worker if it is empty
	tasks     int    // 1 if it is 0
	simulated []string
	policy    string // completion policy
	retry     string
	podSpec   string
	metadata  string
	container string
	task      string
}

func (r role) String() string {
	var annotations []string
	for _, a := range r.simulated {
		key, value, _ := strings.Cut(a, "=")
		annotations = append(annotations, fmt.Sprintf("simulate.frameworkcontroller.io/%s: %q", key, value))
	}
	pod := fmt.Sprintf("metadata: {%s}, spec: {%s}",
		joined("annotations: {"+joined(annotations...)+"}", r.metadata),
		joined("restartPolicy: Never, terminationGracePeriodSeconds: 1", r.podSpec, "containers: [{"+joined("name: main, image: app", r.container)+"}]"))
	return fmt.Sprintf("{name: %s, taskNumber: %d, frameworkAttemptCompletionPolicy: {%s}, task: {%s}}",
		cmp.Or(r.name, "worker"), max(r.tasks, 1), r.policy, joined("retryPolicy: {"+r.retry+"}", r.task, "pod: {"+pod+"}"))
}

// joined are the fields that are not empty, one after the other.
func joined(fields ...string) string {
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), ", ")
}

// specOf is a spec of these roles, with more fields.
func specOf(more string, roles ...role) string {
	var texts []string
	for _, r := range roles {
		texts = append(texts, r.String())
	}
	return "{" + joined(more, "taskRoles: ["+joined(texts...)+"]") + "}"
}
