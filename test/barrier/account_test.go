package barrier

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// accounts are ServiceAccounts, with the verbs that each may use on Frameworks.
var accounts = map[string][]string{
	"barrier": {"get", "list", "watch"}, // as documented
	"getter":  {"get"},                  // sufficient for the original
}

func (w *world) createAccounts() error {
	ctx := context.Background()
	for name, verbs := range accounts {
		meta := metav1.ObjectMeta{Name: name, Namespace: namespace}
		account := &corev1.ServiceAccount{ObjectMeta: meta}
		if _, err := w.core.CoreV1().ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
			return err
		}
		role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{v1.SchemeGroupVersion.Group}, Resources: []string{v1.FrameworkPlural}, Verbs: verbs}}}
		if _, err := w.core.RbacV1().Roles(namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: namespace}},
		}
		if _, err := w.core.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// token returns one of the account.
func (w *world) token(t *testing.T, account string) string {
	t.Helper()
	answer, err := w.core.CoreV1().ServiceAccounts(namespace).
		CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return answer.Status.Token
}

// kubeconfigOf returns a kubeconfig with the token of the account in a file, and the path of that file.
func (w *world) kubeconfigOf(t *testing.T, account string) (kubeconfig, tokenFile string) {
	t.Helper()
	dir := t.TempDir()
	kubeconfig, tokenFile = filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "token")
	writeFile(t, tokenFile, w.token(t, account))
	ca, err := os.ReadFile(w.Config.CAFile)
	if err != nil && len(w.Config.CAData) == 0 {
		t.Fatal(err)
	}
	if len(ca) == 0 {
		ca = w.Config.CAData
	}
	writeFile(t, kubeconfig, fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: it
contexts: [{name: it, context: {cluster: it, user: it}}]
clusters: [{name: it, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: it, user: {tokenFile: %q}}]
`, w.Config.Host, base64.StdEncoding.EncodeToString(ca), tokenFile))
	return kubeconfig, tokenFile
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}
