package http

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// outcomes check the Framework hello, by the section of the block that was run. Other sections change nothing: the page shows their output.
var outcomes = map[string]func(context.Context) error{
	create:     hello(v1.AttemptCreationPending, roles{"worker": 2}),
	start:      running(roles{"worker": 2}),
	scale:      running(roles{"worker": 3}),
	addRole:    running(roles{"worker": 3, "ps": 1}),
	deleteRole: running(roles{"worker": 3}),
	mergePatch: running(roles{"worker": 4}),
	stop:       stopped,
	deletion:   gone,
}

// roles are numbers of Tasks by the names of roles.
type roles map[string]int32

// hello requires that state, and those roles in the spec, with as many Tasks in the status.
func hello(state v1.State, want roles) func(context.Context) error {
	return func(ctx context.Context) error {
		f, err := frameworks.Get(ctx, "hello", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if f.Status == nil || f.Status.AttemptStatus.TaskRoleStatuses == nil {
			return errors.New("it has no status")
		}
		wanted, there := roles{}, roles{}
		for _, r := range f.Spec.TaskRoles {
			wanted[r.Name] = r.TaskNumber
		}
		for _, r := range f.Status.AttemptStatus.TaskRoleStatuses {
			there[r.Name] = int32(len(r.TaskStatuses))
		}
		if f.Status.State != state || fmt.Sprint(wanted) != fmt.Sprint(want) || fmt.Sprint(there) != fmt.Sprint(want) {
			return fmt.Errorf("the state is %s, the spec has %v, the status %v; want %s and %v", f.Status.State, wanted, there, state, want)
		}
		return nil
	}
}

// running wants a Pod that runs for each Task besides, and none else.
func running(want roles) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := hello(v1.AttemptRunning, want)(ctx); err != nil {
			return err
		}
		pods, err := podsOfHello(ctx)
		if err != nil {
			return err
		}
		run := roles{}
		for _, p := range pods {
			if p.Status.Phase == corev1.PodRunning {
				run[p.Labels[v1.KeyTaskRoleName]]++
			}
		}
		if fmt.Sprint(run) != fmt.Sprint(want) {
			return fmt.Errorf("Pods run of %v; want %v", run, want)
		}
		return nil
	}
}

func stopped(ctx context.Context) error {
	f, err := frameworks.Get(ctx, "hello", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if f.Status.State != v1.Completed || f.Status.AttemptStatus.CompletionStatus.Phrase != "StopFrameworkRequested" {
		return fmt.Errorf("the state is %s", f.Status.State)
	}
	return nil
}

// gone requires that the Framework is gone, and then its Pods.
func gone(ctx context.Context) error {
	_, err := frameworks.Get(ctx, "hello", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return errors.Join(err, errors.New("it is still there"))
	}
	pods, err := podsOfHello(ctx)
	if err == nil && len(pods) > 0 {
		err = fmt.Errorf("%d Pods are still there", len(pods))
	}
	return err
}

func podsOfHello(ctx context.Context) ([]corev1.Pod, error) {
	pods, err := core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=hello"})
	if err != nil {
		return nil, err
	}
	return pods.Items, nil
}

func eventually(t *testing.T, try func(context.Context) error) {
	t.Helper()
	clustertest.Eventually(t, patience, try)
}

// makeMany creates the other Framework of the page, which has enough Tasks to have its status stored compressed. It is held.
func makeMany(t *testing.T) {
	t.Helper()
	role := v1.TaskRoleSpec{Name: "worker", TaskNumber: 3000}
	role.Task.Pod = v1.PodTemplate(`{"spec": {"containers": [{"name": "main", "image": "none"}]}}`)
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "many"}}
	f.Spec.ExecutionType, f.Spec.TaskRoles = v1.ExecutionCreate, []v1.TaskRoleSpec{role}
	_, err := frameworks.Create(t.Context(), f, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func(ctx context.Context) error {
		f, err := frameworks.Get(ctx, "many", metav1.GetOptions{})
		if err == nil && (f.Status == nil || len(f.Status.AttemptStatus.TaskRoleStatusesCompressed) == 0) {
			err = errors.New("the status of many is not compressed")
		}
		return err
	})
}

// leaveNothing removes all that the page makes, when the test ends.
func leaveNothing(t *testing.T) {
	t.Cleanup(func() {
		ctx := context.Background()
		remove := metav1.DeleteOptions{}
		foreground := metav1.DeletePropagationForeground
		require.NoError(t, frameworks.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &foreground}, metav1.ListOptions{}))
		accounts, bindings := core.CoreV1().ServiceAccounts(namespace), core.RbacV1().RoleBindings(namespace)
		for _, err := range []error{
			accounts.Delete(ctx, "portal", remove),
			bindings.Delete(ctx, "portal-edit", remove), bindings.Delete(ctx, "portal-view", remove),
		} {
			require.NoError(t, err)
		}
		eventually(t, func(ctx context.Context) error {
			left, err := frameworks.List(ctx, metav1.ListOptions{})
			if err == nil && len(left.Items) > 0 {
				err = fmt.Errorf("%d Frameworks are still there", len(left.Items))
			}
			return err
		})
	})
}
