package rbac

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The steps of the page about installing make a kustomization that can be applied, with an image, a configuration and a plugin of
// one's own.
func TestInstallPage(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"deploy", "example"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS("../../"+name)))
	}
	steps := 0
	for _, block := range page.Blocks(page.Read(t, "../../docs/operations/install.md"), "sh") {
		if !strings.Contains(block.Text, "> my-install/") {
			continue
		}
		steps++
		writing := strings.ReplaceAll(block.Text, "kubectl apply -k my-install\n", "")
		sh := exec.CommandContext(t.Context(), "sh", "-ec", writing)
		sh.Dir = dir
		if out, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, writing)
		}
		if _, err := kubectl(t.Context(), "apply", "--dry-run=server", "-k", dir+"/my-install"); err != nil {
			t.Error(err)
		}
	}
	d := rendered(t, dir+"/my-install").Spec.Template.Spec
	image := d.Containers[0].Image
	args := strings.Join(d.Containers[0].Args, " ")
	if steps != 3 || len(d.InitContainers) != 1 || image != "registry.example.com/frameworkcontroller:v1.0.0" ||
		!strings.Contains(args, "--config=/etc/frameworkcontroller/frameworkcontroller.yaml") {
		t.Errorf("%d steps, image %s, arguments %q, init containers %s", steps, image, args, text(d.InitContainers))
	}
}

// The guide of the original has its users bind cluster-admin under the name of the controller. The role of a binding cannot
// be changed, so ours has another name.
func TestInstalledBesideTheOriginal(t *testing.T) {
	original := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "frameworkcontroller"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "frameworkcontroller"}},
	}
	bindings := core.RbacV1().ClusterRoleBindings()
	if _, err := bindings.Create(t.Context(), original, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bindings.Delete(context.Background(), original.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	if _, err := kubectl(t.Context(), "apply", "-k", deploy); err != nil {
		t.Error(err)
	}
	ours, err := bindings.List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=frameworkcontroller"})
	require.NoError(t, err)
	bound := func(b rbacv1.ClusterRoleBinding) bool {
		return b.RoleRef.Name == name && b.Subjects[0].Namespace == name && b.Subjects[0].Name == name
	}
	if !slices.ContainsFunc(ours.Items, bound) {
		t.Errorf("no binding of ours: %s", text(ours.Items))
	}
}
