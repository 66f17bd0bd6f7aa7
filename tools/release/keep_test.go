package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The stored files do not depend on the time, and each stored Framework has a status.
func TestKeptFiles(t *testing.T) {
	first, err := keptFiles("../..")
	require.NoError(t, err)
	second, err := keptFiles("../..")
	require.NoError(t, err)
	require.Equal(t, first, second)
	for name := range keptStories {
		require.NotEmpty(t, parsed(t, first["frameworks/"+name+".yaml"])["status"], name)
	}
}

// A release requires that its commit has the files that make release-keep would write, and writes none of them.
func TestRequireKept(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"deploy/crd/frameworks.yaml", "example/config/default/frameworkcontroller.yaml"} {
		write(t, filepath.Join(root, name), name)
	}
	require.ErrorContains(t, requireKept(root, "v1.2.3"),
		"test/releases/testdata/v1.2.3 is not what this commit stores: run make release-keep VERSION=v1.2.3 and commit the change of frameworkcontroller.yaml, ")
	require.NoDirExists(t, filepath.Join(root, "test"))

	kept := filepath.Join(root, keptDir("v1.2.3"))
	write(t, filepath.Join(kept, "frameworks/of-an-earlier-story.yaml"), "")
	require.NoError(t, keepObjects(root, "v1.2.3"))
	require.NoError(t, requireKept(root, "v1.2.3"))
	require.NoFileExists(t, filepath.Join(kept, "frameworks/of-an-earlier-story.yaml"))

	write(t, filepath.Join(kept, "plugin.yaml"), "another contract")
	write(t, filepath.Join(kept, "more.yaml"), "")
	require.ErrorContains(t, requireKept(root, "v1.2.3"), "commit the change of more.yaml, plugin.yaml")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}
