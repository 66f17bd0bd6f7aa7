package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestToolsArePinned(t *testing.T) {
	root, err := findCheckout()
	require.NoError(t, err)
	for _, tool := range slices.Concat(toolset(Newest), toolset(Oldest), onRequest) {
		version, err := tool.version(root)
		if err != nil {
			t.Error(err)
		}
		module, err := os.ReadFile(filepath.Join(root.toolsModule(tool.module), "go.mod"))
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(module), tool.pkg+"\n") {
			t.Errorf("tools/%s lists no tool %s", tool.module, tool.pkg)
		}
		t.Log(tool.name, version)
	}
}

// fakeTool is a tool in a checkout of its own.
func fakeTool(t *testing.T) (checkout, tool) {
	t.Helper()
	root := checkout(t.TempDir())
	write(t, filepath.Join(root.toolsModule("m"), "go.mod"), "module m\n\nrequire (\n\texample.com/a v1.2.3\n)\n")
	write(t, filepath.Join(root.toolsModule("m"), "go.sum"), "sums")
	return root, tool{name: "a", module: "m", pkg: "example.com/a/cmd/a", source: "example.com/a"}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestToolVersion(t *testing.T) {
	root, a := fakeTool(t)
	if version, err := a.version(root); version != "v1.2.3" || err != nil {
		t.Errorf("version = %q, %v", version, err)
	}
	a.source = "example.com/b"
	if version, err := a.version(root); err == nil {
		t.Errorf("version of a module that is not required = %q", version)
	}
}

func TestToolIsRebuiltWhenItsPinsChange(t *testing.T) {
	root, a := fakeTool(t)
	check := func(when string, want bool) {
		t.Helper()
		if got, err := a.there(root); got != want || err != nil {
			t.Errorf("%s: there = %v, %v; want %v", when, got, err, want)
		}
	}
	check("before the first build", false)

	stamp, err := a.stamp(root)
	require.NoError(t, err)
	write(t, a.stampFile(root), stamp+"\n")
	check("with a stamp but no binary", false)

	write(t, root.tool("a"), "binary")
	check("after a build", true)

	write(t, filepath.Join(root.toolsModule("m"), "go.sum"), "other sums")
	check("after a pin changed", false)
}
