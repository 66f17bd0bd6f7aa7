package install

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// What the manual has one type for Helm is typed here, in its order: it installs, and changes what it says it changes. What it
// has one type for kustomize, test/rbac types.
func TestManualOnHelm(t *testing.T) {
	page, err := os.ReadFile("../../docs/user-manual/install.md")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(deploy)))
	r := release{name, name}
	t.Cleanup(func() { r.uninstall(context.Background()) })
	blocks := 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(block[1], "helm ") {
			continue
		}
		blocks++
		_, err := run(t.Context(), "sh", "-ec", "PATH="+filepath.Dir(helm)+":$PATH; cd "+dir+"\n"+block[1])
		require.NoError(t, err)
	}
	image := r.deployment(t).Spec.Template.Spec.Containers[0].Image
	if blocks != 2 || image != "registry.example.com/frameworkcontroller:2026.1" {
		t.Errorf("%d blocks, and the image %s", blocks, image)
	}
	uninstall := "helm uninstall " + name + " --namespace " + name
	require.Contains(t, string(page), "`"+uninstall+"`")
	_, err = run(t.Context(), "sh", "-ec", filepath.Dir(helm)+"/"+uninstall)
	require.NoError(t, err)
}
