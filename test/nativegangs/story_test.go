package nativegangs

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// story is a namespace for one test.
type story struct {
	t         *testing.T
	namespace string
}

func newStory(t *testing.T) *story {
	t.Helper()
	made, err := core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s := &story{t, made.Name}
	clustertest.Eventually(t, patience, func(ctx context.Context) error { // until then, Pods are refused
		_, err := core.CoreV1().ServiceAccounts(s.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	t.Cleanup(s.end)
	return s
}

// end leaves the nodes to the next test.
func (s *story) end() {
	if s.t.Failed() {
		s.t.Logf("the controller's log:\n%s", controller.Tail(8000))
	}
	ctx := context.Background()
	background := metav1.DeletePropagationBackground
	err := frameworks.FrameworkControllerV1().Frameworks(s.namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
	require.NoError(s.t, err)
	s.awaitNoPods("")
	_ = core.CoreV1().Namespaces().Delete(ctx, s.namespace, metav1.DeleteOptions{})
}

// role has so many Tasks, each of which takes 10 of the 32 CPUs of a node. More are annotations, and when it completes.
func role(name string, tasks int, more ...string) string {
	annotations, rest := "", "minFailedTaskCount: 1, minSucceededTaskCount: -1"
	if len(more) > 0 {
		annotations = more[0]
	}
	if len(more) > 1 {
		rest = more[1]
	}
	return fmt.Sprintf(`{name: %s, taskNumber: %d, frameworkAttemptCompletionPolicy: {%s}, task: {retryPolicy: {maxRetryCount: 3}, pod: {
		metadata: {annotations: {%s}},
		spec: {restartPolicy: Never, containers: [{name: main, image: none, resources: {requests: {cpu: 10}}}]}}}}`, name, tasks, rest, annotations)
}

func (s *story) create(name, spec string) {
	s.t.Helper()
	f := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: %s, kind: Framework, metadata: {name: %s}, spec: %s}", v1.SchemeGroupVersion, name, spec)
	require.NoError(s.t, yaml.Unmarshal([]byte(text), &f.Object))
	client := objects.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(s.namespace)
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error { // until the controller has defined the kind
		_, err := client.Create(ctx, f, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// scale changes the number of Tasks of the first role.
func (s *story) scale(name string, tasks int) {
	s.t.Helper()
	patch, err := json.Marshal([]any{map[string]any{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": tasks}})
	require.NoError(s.t, err)
	_, err = frameworks.FrameworkControllerV1().Frameworks(s.namespace).Patch(s.t.Context(), name, types.JSONPatchType, patch, metav1.PatchOptions{})
	require.NoError(s.t, err)
}

func (s *story) delete(name string) {
	s.t.Helper()
	background := metav1.DeletePropagationBackground
	require.NoError(s.t, frameworks.FrameworkControllerV1().Frameworks(s.namespace).Delete(s.t.Context(), name,
		metav1.DeleteOptions{PropagationPolicy: &background}))
}

func (s *story) podsOf(ctx context.Context, name string) ([]corev1.Pod, error) {
	o := metav1.ListOptions{}
	if name != "" {
		o.LabelSelector = v1.KeyFrameworkName + "=" + name
	}
	list, err := core.CoreV1().Pods(s.namespace).List(ctx, o)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// counts returns how many Pods there are, and how many of them have a node.
func (s *story) counts(ctx context.Context, name string) (all, bound int, err error) {
	pods, err := s.podsOf(ctx, name)
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			bound++
		}
	}
	return len(pods), bound, err
}

func (s *story) awaitBound(name string, all, bound int) {
	s.t.Helper()
	clustertest.Eventually(s.t, patience, func(ctx context.Context) error {
		gotAll, gotBound, err := s.counts(ctx, name)
		if err == nil && (gotAll != all || gotBound != bound) {
			err = fmt.Errorf("%s has %d Pods, %d of them bound, want %d and %d", name, gotAll, gotBound, all, bound)
		}
		return err
	})
}

// staysBound: it is so for a while in which a scheduler would have bound a Pod many times.
func (s *story) staysBound(name string, all, bound int) {
	s.t.Helper()
	s.awaitBound(name, all, bound)
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		gotAll, gotBound, err := s.counts(s.t.Context(), name)
		require.NoError(s.t, err)
		if gotAll != all || gotBound != bound {
			s.t.Fatalf("%s has %d Pods, %d of them bound, want %d and %d", name, gotAll, gotBound, all, bound)
		}
	}
}

func (s *story) awaitNoPods(name string) {
	s.t.Helper()
	s.awaitBound(name, 0, 0)
}

func (s *story) await(name, what string, is func(*v1.FrameworkStatus) bool) *v1.FrameworkStatus {
	s.t.Helper()
	var f *v1.Framework
	clustertest.Eventually(s.t, patience, func(ctx context.Context) (err error) {
		if f, err = frameworks.FrameworkControllerV1().Frameworks(s.namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if f.Status == nil || !is(f.Status) {
			text, _ := json.Marshal(f.Status)
			return fmt.Errorf("%s is not %s: %s", name, what, text)
		}
		return nil
	})
	return f.Status
}

func (s *story) awaitSucceeded(name string) *v1.FrameworkStatus {
	s.t.Helper()
	return s.await(name, "completed", func(f *v1.FrameworkStatus) bool {
		return f.State == v1.Completed && f.AttemptStatus.CompletionStatus.Code == 0
	})
}
