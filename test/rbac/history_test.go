package rbac

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

const (
	historyName = name + "-history"
	historyUser = "system:serviceaccount:" + name + ":" + historyName
	// historyAudience is the audience of the controller's token for the server.
	historyAudience = historyName
)

// The rules for the history server suffice to identify users and to check what they may read, no verb is spare, and the rules allow nothing
// else that matters.
func TestRulesForHistory(t *testing.T) {
	apply(t, "history.yaml")
	all := permissions(installed(t, historyName))
	require.Equal(t, []permission{{"authorization.k8s.io", "subjectaccessreviews", "create"}, {"authentication.k8s.io", "tokenreviews", "create"}}, all)
	server := asHistoryServer(t)
	eventually(t, func(ctx context.Context) error { return review(ctx, server) })

	token := tokenOf(t, name, historyAudience)
	t.Run("controller", func(t *testing.T) {
		status := reviewed(t, server, token, historyAudience)
		require.True(t, status.Authenticated)
		require.Equal(t, controllerUser, status.User.Username)
	})
	t.Run("token is of no use elsewhere", func(t *testing.T) {
		require.False(t, reviewed(t, server, token, "").Authenticated)
	})
	t.Run("nothing else", func(t *testing.T) {
		for _, p := range []permission{
			{group, "frameworks", "get"}, {group, "frameworks", "list"}, {group, "frameworks/status", "update"}, {"", "pods", "get"}, {"", "pods", "create"},
			{"", "pods/log", "get"}, {"", "secrets", "get"}, {"", "secrets", "list"}, {"", "configmaps", "get"}, {"", "configmaps", "list"}, {"", "nodes", "list"},
			{"", "serviceaccounts/token", "create"}, {"", "users", "impersonate"}, {"rbac.authorization.k8s.io", "clusterroles", "bind"},
			{"rbac.authorization.k8s.io", "clusterroles", "escalate"}, {"coordination.k8s.io", "leases", "update"},
		} {
			if may(t, t.Context(), historyUser, "any", p) {
				t.Errorf("it may %s", p)
			}
		}
	})
	for _, verb := range []string{"list", "update", "patch", "delete"} {
		if mayWithAuthorities(t, verb) {
			t.Errorf("it may %s the authorities of client certificates", verb)
		}
	}
	for _, p := range all {
		t.Run("without "+p.resource, func(t *testing.T) {
			whole := role{name: historyName}
			rules := whole.rules(t)
			whole.setRules(t, without(rules, p))
			t.Cleanup(func() { whole.setRules(t, rules) })
			eventually(t, func(ctx context.Context) error {
				if err := review(ctx, server); !apierrors.IsForbidden(err) {
					return fmt.Errorf("got %v, want that it is forbidden", err)
				}
				return nil
			})
		})
	}
}

// The Pod of the server is admitted to the namespace, and its claim has the values' size.
func TestHistoryServerIsAdmitted(t *testing.T) {
	apply(t, "history.yaml")
	eventually(t, func(ctx context.Context) error {
		_, err := core.CoreV1().Pods(name).Get(ctx, historyName+"-0", metav1.GetOptions{})
		return err
	})
	claim, err := core.CoreV1().PersistentVolumeClaims(name).Get(t.Context(), "data-"+historyName+"-0", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "10Gi", claim.Spec.Resources.Requests.Storage().String())
}

// The Role for readers is enough to find the server and to forward a port to it, and shows nothing else of the namespace.
func TestHistoryReaders(t *testing.T) {
	apply(t, "history.yaml")
	const user = "somebody"
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "history-readers"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: historyName + "-reader"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}}
	_, err := core.RbacV1().RoleBindings(name).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		core.RbacV1().RoleBindings(name).Delete(context.Background(), binding.Name, metav1.DeleteOptions{})
	})
	config := rest.CopyConfig(kube.Config)
	config.Impersonate.UserName = user
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	var services *corev1.ServiceList
	eventually(t, func(ctx context.Context) (err error) {
		services, err = client.CoreV1().Services(name).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=history"})
		return err
	})
	require.Len(t, services.Items, 1)
	require.EqualValues(t, 443, services.Items[0].Spec.Ports[0].Port, "the client takes the first port")
	_, err = client.CoreV1().Pods(name).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().ConfigMaps(name).Get(t.Context(), services.Items[0].Name, metav1.GetOptions{})
	require.False(t, apierrors.IsForbidden(err), err)
	require.True(t, may(t, t.Context(), user, name, permission{"", "pods/portforward", "create"}))
	for _, p := range []permission{{"", "configmaps", "get"}, {"", "secrets", "get"}, {"", "pods", "create"}, {"", "pods/exec", "create"}, {"", "pods/log", "get"}} {
		if may(t, t.Context(), user, name, p) {
			t.Errorf("a reader may %s", p)
		}
	}
	require.False(t, may(t, t.Context(), user, "default", permission{"", "pods/portforward", "create"}))
}

func asHistoryServer(t *testing.T) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", clustertest.KubeconfigOf(t, kube, name, historyName))
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// review makes the server's requests.
func review(ctx context.Context, server kubernetes.Interface) error {
	_, err := server.AuthenticationV1().TokenReviews().Create(ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: "none"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = server.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: "somebody", ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "get", Group: group, Resource: "frameworks", Namespace: "default"}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = server.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, authoritiesName, metav1.GetOptions{})
	return err
}

// authoritiesName is the ConfigMap with the authorities of client certificates.
const authoritiesName = "extension-apiserver-authentication"

// reviewed returns the API server's review of a token for the history server.
func reviewed(t *testing.T, server kubernetes.Interface, token, audience string) authenticationv1.TokenReviewStatus {
	t.Helper()
	asked := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	if audience != "" {
		asked.Spec.Audiences = []string{audience}
	}
	answer, err := server.AuthenticationV1().TokenReviews().Create(t.Context(), asked, metav1.CreateOptions{})
	require.NoError(t, err)
	return answer.Status
}

// mayWithAuthorities asks whether the history server may do something with that ConfigMap.
func mayWithAuthorities(t *testing.T, verb string) bool {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: historyUser, Groups: []string{"system:authenticated"}, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Resource: "configmaps", Namespace: metav1.NamespaceSystem, Name: authoritiesName},
	}}
	answer, err := core.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
	require.NoError(t, err)
	return answer.Status.Allowed
}
