package gangs

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
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

// Story is a namespace for one test.
type Story struct {
	T         *testing.T
	Namespace string

	world *World
}

// NewStory begins one. It ends with the test, and leaves the nodes to the next one.
func (w *World) NewStory(t *testing.T) *Story {
	t.Helper()
	made, err := w.Core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s := &Story{t, made.Name, w}
	clustertest.Eventually(t, Patience, func(ctx context.Context) error { // until then, Pods are refused
		_, err := w.Core.CoreV1().ServiceAccounts(s.Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	t.Cleanup(s.end)
	return s
}

func (s *Story) end() {
	if s.T.Failed() {
		s.tell()
	}
	ctx := context.Background()
	background := metav1.DeletePropagationBackground
	err := s.world.Frameworks.FrameworkControllerV1().Frameworks(s.Namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
	require.NoError(s.T, err)
	s.awaitNoPods("")
	_ = s.world.Core.CoreV1().Namespaces().Delete(ctx, s.Namespace, metav1.DeleteOptions{})
}

// tell logs facts that may explain why the test has failed.
func (s *Story) tell() {
	pods, err := s.Pods(context.Background(), "")
	if err != nil {
		s.T.Log(err)
	}
	for _, p := range pods {
		s.T.Logf("%s on %q: %s %+v", p.Name, p.Spec.NodeName, p.Status.Phase, p.Status.Conditions)
	}
	for _, p := range s.world.programs {
		s.T.Logf("%s:\n%s", filepath.Base(p.Log), p.Tail(8000))
	}
}

// Create creates a Framework with that spec, in YAML.
func (s *Story) Create(name, spec string) {
	s.T.Helper()
	f := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: %s, kind: Framework, metadata: {name: %s}, spec: %s}", v1.SchemeGroupVersion, name, spec)
	require.NoError(s.T, yaml.Unmarshal([]byte(text), &f.Object))
	client := s.world.Objects.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(s.Namespace)
	clustertest.Eventually(s.T, Patience, func(ctx context.Context) error { // until the controller has defined the kind
		_, err := client.Create(ctx, f, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// Scale changes the number of Tasks of the first role.
func (s *Story) Scale(name string, tasks int) {
	s.T.Helper()
	patch, err := json.Marshal([]any{map[string]any{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": tasks}})
	require.NoError(s.T, err)
	_, err = s.world.Frameworks.FrameworkControllerV1().Frameworks(s.Namespace).Patch(s.T.Context(), name, types.JSONPatchType, patch, metav1.PatchOptions{})
	require.NoError(s.T, err)
}

// Delete deletes a Framework.
func (s *Story) Delete(name string) {
	s.T.Helper()
	background := metav1.DeletePropagationBackground
	require.NoError(s.T, s.world.Frameworks.FrameworkControllerV1().Frameworks(s.Namespace).Delete(s.T.Context(), name,
		metav1.DeleteOptions{PropagationPolicy: &background}))
}

// Pods returns the Pods of a Framework, or all if the name is empty.
func (s *Story) Pods(ctx context.Context, name string) ([]corev1.Pod, error) {
	o := metav1.ListOptions{}
	if name != "" {
		o.LabelSelector = v1.KeyFrameworkName + "=" + name
	}
	list, err := s.world.Core.CoreV1().Pods(s.Namespace).List(ctx, o)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// counts returns the number of Pods, and how many of them have a node.
func (s *Story) counts(ctx context.Context, name string) (all, bound int, err error) {
	pods, err := s.Pods(ctx, name)
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			bound++
		}
	}
	return len(pods), bound, err
}

// AwaitBound waits until a Framework has `all` Pods, and `bound` of them have a node.
func (s *Story) AwaitBound(name string, all, bound int) {
	s.T.Helper()
	clustertest.Eventually(s.T, Patience, func(ctx context.Context) error {
		gotAll, gotBound, err := s.counts(ctx, name)
		if err == nil && (gotAll != all || gotBound != bound) {
			err = fmt.Errorf("%s has %d Pods, %d of them bound, want %d and %d", name, gotAll, gotBound, all, bound)
		}
		return err
	})
}

// StaysBound waits as AwaitBound, and requires that the counts stay for a while in which a scheduler would have bound a Pod many times.
func (s *Story) StaysBound(name string, all, bound int) {
	s.T.Helper()
	s.AwaitBound(name, all, bound)
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		gotAll, gotBound, err := s.counts(s.T.Context(), name)
		require.NoError(s.T, err)
		if gotAll != all || gotBound != bound {
			s.T.Fatalf("%s has %d Pods, %d of them bound, want %d and %d", name, gotAll, gotBound, all, bound)
		}
	}
}

func (s *Story) awaitNoPods(name string) {
	s.T.Helper()
	s.AwaitBound(name, 0, 0)
}

// Await waits until the status of a Framework is as wanted, and returns it.
func (s *Story) Await(name, what string, is func(*v1.FrameworkStatus) bool) *v1.FrameworkStatus {
	s.T.Helper()
	var f *v1.Framework
	clustertest.Eventually(s.T, Patience, func(ctx context.Context) (err error) {
		if f, err = s.world.Frameworks.FrameworkControllerV1().Frameworks(s.Namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
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

// AwaitSucceeded waits until a Framework has completed without a failure.
func (s *Story) AwaitSucceeded(name string) *v1.FrameworkStatus {
	s.T.Helper()
	return s.Await(name, "completed", func(f *v1.FrameworkStatus) bool {
		return f.State == v1.Completed && f.AttemptStatus.CompletionStatus.Code == 0
	})
}

// AwaitRetried waits until a Framework has succeeded, and requires that the first Task of that role was retried `times` times.
func (s *Story) AwaitRetried(name, role string, times int32) {
	s.T.Helper()
	f := s.AwaitSucceeded(name)
	for _, r := range f.AttemptStatus.TaskRoleStatuses {
		if r.Name == role && r.TaskStatuses[0].RetryPolicyStatus.TotalRetriedCount != times {
			s.T.Errorf("%s: %+v", name, r.TaskStatuses[0].RetryPolicyStatus)
		}
	}
}

// AwaitWaiting waits until the message of a Framework's condition Waiting contains a text.
func (s *Story) AwaitWaiting(name, says string) {
	s.T.Helper()
	s.Await(name, "waiting: "+says, func(f *v1.FrameworkStatus) bool { return strings.Contains(Waiting(f), says) })
}

// Waiting returns the message of a Framework's condition Waiting; empty if it does not wait.
func Waiting(f *v1.FrameworkStatus) string {
	for _, c := range f.Conditions {
		if c.Type == v1.ConditionWaiting && c.Status == metav1.ConditionTrue {
			return c.Message
		}
	}
	return ""
}
