package cluster

import (
	"os"
	"path/filepath"
	"regexp"
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

// Modules that the control plane and kwok have in common, such as the clients of the API, have the same versions, so that Go compiles
// them once: otherwise, kwok needs another 40 MB of sources.
func TestToolsShareLibraries(t *testing.T) {
	root, err := findCheckout()
	require.NoError(t, err)
	versions := func(module string) map[string]string {
		text, err := os.ReadFile(filepath.Join(root.toolsModule(module), "go.mod"))
		require.NoError(t, err)
		found := map[string]string{}
		for _, pattern := range []string{`(?m)^\t(\S+) (v\S+)`, `(?m)^\t(\S+) => \S+ (v\S+)`} { // the second one counts
			for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
				found[match[1]] = match[2]
			}
		}
		return found
	}
	kubernetes, shared := versions("kubernetes"), 0
	for path, version := range versions("kwok") {
		if !regexp.MustCompile(`^(k8s\.io|golang\.org/x|google\.golang\.org)/`).MatchString(path) || kubernetes[path] == "" {
			continue
		}
		shared++
		if version != kubernetes[path] {
			t.Errorf("tools/kwok has %s %s, and tools/kubernetes %s", path, version, kubernetes[path])
		}
	}
	if shared < 15 {
		t.Errorf("they share %d modules", shared)
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
