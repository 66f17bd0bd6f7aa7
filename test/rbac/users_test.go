package rbac

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
)

const group = "frameworkcontroller.microsoft.com"

// The roles that every cluster has are extended by Frameworks, and never by their statuses.
func TestUserRoles(t *testing.T) {
	const (
		read  = "get list watch"
		write = "create update patch delete deletecollection"
	)
	tests := map[string]struct{ may, mayNot string }{
		"view":  {read, write},
		"edit":  {read + " " + write, ""},
		"admin": {read + " " + write, ""},
	}
	for role, tt := range tests {
		t.Run(role, func(t *testing.T) {
			bind(t, role, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role})
			eventually(t, func(ctx context.Context) error {
				return check(t, ctx, role, "default", "frameworks", tt.may, true)
			})
			never := map[string]string{
				"frameworks": tt.mayNot, "frameworks/status": read + " " + write, "frameworks/finalizers": "update",
			}
			for resource, verbs := range never {
				if err := check(t, t.Context(), role, "default", resource, verbs, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// By a real request: who may edit a Framework cannot edit its status, by either way.
func TestStatusIsNotForUsers(t *testing.T) {
	const user = "editor"
	bind(t, "edit", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user})
	config := rest.CopyConfig(kube.Config)
	config.Impersonate.UserName = user
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	mine := client.FrameworkControllerV1().Frameworks("default")
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}
	f.Spec.ExecutionType = v1.ExecutionCreate
	eventually(t, func(ctx context.Context) error {
		_, err := mine.Create(ctx, f, metav1.CreateOptions{})
		return err
	})
	t.Cleanup(func() { mine.Delete(context.Background(), f.Name, metav1.DeleteOptions{}) })
	patch := []byte(`{"status": {"state": "Completed"}}`)
	_, err = mine.Patch(t.Context(), f.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	if !apierrors.IsForbidden(err) {
		t.Errorf("patching the status: got %v, want that it is forbidden", err)
	}
	patched, err := mine.Patch(t.Context(), f.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil || patched.Status != nil {
		t.Errorf("patching the Framework: status %v, error %v", patched.Status, err)
	}
}

// The barrier's role suffices to read and to watch Frameworks of its namespace, and for nothing else.
func TestBarrierRole(t *testing.T) {
	if _, err := kubectl(t.Context(), "apply", "-k", deploy+"/barrier"); err != nil {
		t.Fatal(err)
	}
	const user = "system:serviceaccount:default:frameworkbarrier"
	eventually(t, func(ctx context.Context) error {
		return check(t, ctx, user, "default", "frameworks", "get list watch", true)
	})
	for _, err := range []error{
		check(t, t.Context(), user, "default", "frameworks", "create update patch delete", false),
		check(t, t.Context(), user, "default", "frameworks/status", "get update patch", false),
		check(t, t.Context(), user, "kube-system", "frameworks", "get list watch", false),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, resource := range []string{"pods", "configmaps", "secrets"} {
		if may(t, t.Context(), user, "default", permission{"", resource, "get"}) {
			t.Errorf("the barrier may get %s", resource)
		}
	}
}

// Nothing that is installed can be used to become more than one is: no wildcards, no escalation, no secrets.
func TestNoWildcards(t *testing.T) {
	powers := []string{"impersonate", "escalate", "bind"}
	for _, role := range []string{name, name + "-edit", name + "-view"} {
		for _, p := range permissions(installed(t, role)) {
			if strings.Contains(p.group+p.resource+p.verb, "*") || slices.Contains(powers, p.verb) || p.resource == "secrets" {
				t.Errorf("%s has %s", role, p)
			}
		}
	}
}

// check compares a user's permissions on Frameworks with the expected ones, for each of the verbs.
func check(t *testing.T, ctx context.Context, user, namespace, resource, verbs string, want bool) error {
	for verb := range strings.FieldsSeq(verbs) {
		if got := may(t, ctx, user, namespace, permission{group, resource, verb}); got != want {
			return fmt.Errorf("%s may %s %s in %s: %v", user, verb, resource, namespace, got)
		}
	}
	return nil
}

// bind gives a ClusterRole to somebody, in the namespace default, until the test ends.
func bind(t *testing.T, role string, to rbacv1.Subject) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "test-" + to.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{to},
	}
	if _, err := core.RbacV1().RoleBindings("default").Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		core.RbacV1().RoleBindings("default").Delete(context.Background(), binding.Name, metav1.DeleteOptions{})
	})
}
