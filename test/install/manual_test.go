package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The commands of the manual for Helm install the controller and make the described changes, in the order of the manual. The commands for
// kustomize run in test/rbac.
func TestManualOnHelm(t *testing.T) {
	text := page.Read(t, "../../docs/operations/install.md") + page.Read(t, "../../docs/operations/upgrade.md")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(deploy)))
	r := release{name, name}
	t.Cleanup(func() { r.uninstall(context.Background()) })
	blocks := 0
	for _, block := range page.Blocks(text, "sh") {
		if !strings.Contains(block.Text, "helm ") {
			continue
		}
		blocks++
		_, err := run(t.Context(), "sh", "-ec", "PATH="+filepath.Dir(helm)+":$PATH; cd "+dir+"\n"+block.Text)
		require.NoError(t, err)
	}
	image := r.deployment(t).Spec.Template.Spec.Containers[0].Image
	if blocks != 3 || image != "registry.example.com/frameworkcontroller:v1.0.0" {
		t.Errorf("%d blocks, and the image %s", blocks, image)
	}
	uninstall := "helm uninstall " + name + " --namespace " + name
	require.Contains(t, text, "`"+uninstall+"`")
	_, err := run(t.Context(), "sh", "-ec", filepath.Dir(helm)+"/"+uninstall)
	require.NoError(t, err)
}
