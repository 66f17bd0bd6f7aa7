package rbac

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// permission to do one thing with one kind of object. A resource may have a subresource behind a slash.
type permission struct{ group, resource, verb string }

func (p permission) String() string { return p.verb + " " + p.resource }

// role is a ClusterRole, or a Role in the namespace that the controller is installed in.
type role struct {
	name       string
	namespaced bool
}

// roles are the roles of the controller.
var roles = []role{{name: name}, {name: name, namespaced: true}}

func (r role) String() string {
	if r.namespaced {
		return "Role " + r.name
	}
	return "ClusterRole " + r.name
}

// installed returns the rules of a ClusterRole.
func installed(t *testing.T, name string) []rbacv1.PolicyRule {
	t.Helper()
	return role{name: name}.rules(t)
}

// rules, and setRules, work in cleanups too, in which the context of the test has ended.
func (r role) rules(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	if r.namespaced {
		found, err := core.RbacV1().Roles(name).Get(context.Background(), r.name, metav1.GetOptions{})
		require.NoError(t, err)
		return found.Rules
	}
	found, err := core.RbacV1().ClusterRoles().Get(context.Background(), r.name, metav1.GetOptions{})
	require.NoError(t, err)
	return found.Rules
}

func (r role) setRules(t *testing.T, rules []rbacv1.PolicyRule) {
	t.Helper()
	patch := []byte(text(map[string]any{"rules": rules}))
	var err error
	if r.namespaced {
		_, err = core.RbacV1().Roles(name).Patch(context.Background(), r.name, types.MergePatchType, patch, metav1.PatchOptions{})
	} else {
		_, err = core.RbacV1().ClusterRoles().Patch(context.Background(), r.name, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	require.NoError(t, err)
}

// permissions of a role, in a fixed order.
func permissions(rules []rbacv1.PolicyRule) []permission {
	var out []permission
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					out = append(out, permission{group, resource, verb})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b permission) int { return cmp.Compare(a.resource+" "+a.verb, b.resource+" "+b.verb) })
	return out
}

// without returns the rules with one resource to a rule, and without that permission.
func without(rules []rbacv1.PolicyRule, p permission) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			narrow := *rule.DeepCopy()
			narrow.Resources = []string{resource}
			if resource == p.resource && slices.Contains(rule.APIGroups, p.group) {
				narrow.Verbs = slices.DeleteFunc(narrow.Verbs, func(verb string) bool { return verb == p.verb })
			}
			if len(narrow.Verbs) > 0 {
				out = append(out, narrow)
			}
		}
	}
	return out
}

// apply applies a file of the manifests until the test ends, since a permission that it grants may be what another test
// takes away.
func apply(t *testing.T, file string) {
	t.Helper()
	if _, err := kubectl(t.Context(), "apply", "-f", deploy+"/"+file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := kubectl(context.Background(), "delete", "-f", deploy+"/"+file); err != nil {
			t.Error(err)
		}
	})
}

// takeAway takes a permission that a role grants from the controller, until the test ends. It returns when that is in
// force.
func takeAway(t *testing.T, from role, p permission) {
	t.Helper()
	whole := from.rules(t)
	from.setRules(t, without(whole, p))
	awaitPermission(t, p, false)
	t.Cleanup(func() {
		from.setRules(t, whole)
		awaitPermission(t, p, true)
	})
}

const controllerUser = "system:serviceaccount:" + name + ":" + name

func awaitPermission(t *testing.T, p permission, want bool) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		if got := may(t, ctx, controllerUser, "any", p); got != want {
			return fmt.Errorf("%s: allowed: %v", p, got)
		}
		return nil
	})
}

// may asks whether a user has a permission in a namespace.
func may(t *testing.T, ctx context.Context, user, namespace string, p permission) bool {
	t.Helper()
	resource, subresource, _ := strings.Cut(p.resource, "/")
	attributes := &authorizationv1.ResourceAttributes{
		Namespace: namespace, Verb: p.verb, Group: p.group, Resource: resource, Subresource: subresource,
	}
	if resource == "customresourcedefinitions" {
		attributes.Namespace, attributes.Name = "", v1.CRDName
	}
	if resource == "leases" {
		attributes.Namespace, attributes.Name = name, name
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: []string{"system:authenticated"}, ResourceAttributes: attributes,
	}}
	answer, err := core.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	require.NoError(t, err)
	return answer.Status.Allowed
}
