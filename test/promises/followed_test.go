package promises

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// notFollowed are the pages whose transcripts no test compares, each with the reason.
var notFollowed = map[string]string{
	"run-a-gang": "it needs a cluster with alpha APIs; test/nativegangs.TestNativeGangsCompete has the same two gangs",
}

// TestTranscriptsAreFollowed: each page of docs/tasks that shows a terminal is followed by a test whose package names the page.
func TestTranscriptsAreFollowed(t *testing.T) {
	var followers map[string]string
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "followed.yaml")), &followers))
	paths, err := filepath.Glob(root + "/docs/tasks/*.md")
	require.NoError(t, err)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		shows := len(page.Blocks(read(t, path), "console")) > 0
		follower := followers[name]
		delete(followers, name)
		switch {
		case shows != (follower != "" || notFollowed[name] != ""):
			t.Errorf("%s: it shows a terminal: %v; its test: %q", name, shows, follower)
		case follower != "" && missing(follower) != "":
			t.Errorf("%s: %s", name, missing(follower))
		case follower != "" && !namesPage(t, follower, name):
			t.Errorf("%s is not named in the package of %s", name, follower)
		}
	}
	for name := range followers {
		t.Errorf("there is no page %s", name)
	}
}

// namesPage reports whether a test of the same package has the name of a page, with or without its ending.
func namesPage(t *testing.T, test, name string) bool {
	t.Helper()
	folder, _, _ := strings.Cut(test, ".")
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		if text := read(t, file); strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "/"+name+`.md"`) {
			return true
		}
	}
	return false
}
