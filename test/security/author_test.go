package security

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
)

// author is a user who has the role edit in one namespace, and nothing else.
type author struct {
	t          *testing.T
	namespace  string
	core       kubernetes.Interface
	client     versioned.Interface
	frameworks typed.FrameworkInterface
}

// newAuthor makes a user with a namespace, which is removed when the test ends. Its name has letters and digits only, so
// that a Framework can have it too.
func newAuthor(t *testing.T, name string) *author {
	t.Helper()
	made, err := admin.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		admin.CoreV1().Namespaces().Delete(context.Background(), made.Name, metav1.DeleteOptions{})
	})
	_, err = admin.RbacV1().RoleBindings(made.Name).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "author"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: made.Name}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := rest.CopyConfig(kube.Config)
	config.Impersonate.UserName = made.Name
	client := versioned.NewForConfigOrDie(config)
	a := &author{
		t: t, namespace: made.Name, core: kubernetes.NewForConfigOrDie(config), client: client,
		frameworks: client.FrameworkControllerV1().Frameworks(made.Name),
	}
	eventually(t, "the namespace can be used", func(ctx context.Context) error {
		if _, err := a.frameworks.List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
			return err
		}
		_, err := a.core.CoreV1().ServiceAccounts(a.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return a
}

// create makes a Framework of a spec in YAML.
func (a *author) create(name, spec string) {
	a.t.Helper()
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: name}}
	require.NoError(a.t, yaml.Unmarshal([]byte(spec), &f.Spec))
	if _, err := a.frameworks.Create(a.t.Context(), f, metav1.CreateOptions{}); err != nil {
		a.t.Fatal(err)
	}
}

// oneTask is a spec with one role, a, of one Task with that template.
func oneTask(template string) string {
	return `{taskRoles: [{name: a, taskNumber: 1, task: {pod: ` + template + `}}]}`
}

const (
	// lasting is a template of a Task that runs until it is stopped.
	lasting = `{spec: {containers: [{name: main, image: none}]}}`
	// container is the part that every template needs.
	container = `containers: [{name: main, image: none}]`
)

// ending is a template of a Task that ends with these exit codes, one for each attempt.
func ending(codes string) string {
	return `{metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-codes: "` +
		codes + `"}}, spec: {restartPolicy: Never, ` + container + `}}`
}

// await waits until a Framework is such a one.
func (a *author) await(name, what string, such func(*v1.Framework) bool) *v1.Framework {
	a.t.Helper()
	var f *v1.Framework
	eventually(a.t, "Framework "+name+" "+what, func(ctx context.Context) (err error) {
		if f, err = a.frameworks.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if f.Status == nil || !such(f) {
			text, _ := json.Marshal(f.Status)
			return fmt.Errorf("its status is %s", text[:min(len(text), 2000)])
		}
		return nil
	})
	return f
}

func (a *author) awaitCondition(name, condition string) *v1.Framework {
	a.t.Helper()
	return a.await(name, "has the condition "+condition, func(f *v1.Framework) bool {
		return meta.IsStatusConditionTrue(f.Status.Conditions, condition)
	})
}

func (a *author) awaitGone(name string) {
	a.t.Helper()
	eventually(a.t, "Framework "+name+" is gone", func(ctx context.Context) error {
		_, err := a.frameworks.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %w", err)
	})
}

// createPod makes a Pod with such metadata, in JSON. It runs for ever, unless something deletes it.
func (a *author) createPod(metadata string) *corev1.Pod {
	a.t.Helper()
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}}}
	require.NoError(a.t, json.Unmarshal([]byte(metadata), &pod.ObjectMeta))
	made, err := a.core.CoreV1().Pods(a.namespace).Create(a.t.Context(), pod, metav1.CreateOptions{})
	require.NoError(a.t, err)
	return made
}

// patchPod changes the metadata of a Pod.
func (a *author) patchPod(name string, metadata any) {
	a.t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	require.NoError(a.t, err)
	if _, err := a.core.CoreV1().Pods(a.namespace).Patch(a.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		a.t.Fatal(err)
	}
}

// events are all events of the namespace, one a line.
func (a *author) events() string {
	a.t.Helper()
	list, err := admin.CoreV1().Events(a.namespace).List(a.t.Context(), metav1.ListOptions{})
	require.NoError(a.t, err)
	var out strings.Builder
	for _, e := range list.Items {
		fmt.Fprintf(&out, "%s %s %s: %s\n", e.Source.Component, e.InvolvedObject.Name, e.Reason, e.Message)
	}
	return out.String()
}

// task is the first Task of the first role.
func task(f *v1.Framework) *v1.TaskStatus {
	return &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}
