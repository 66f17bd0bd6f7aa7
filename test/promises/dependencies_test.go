package promises

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	direct        = regexp.MustCompile(`(?m)^(?:require )?\s+(\S+) v\S+$`) // the others end in "// indirect"
	dependencyRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$")
)

// TestDependenciesAreReviewed: each module that ours requires itself has a row in docs/dependencies.md, and no other has.
func TestDependenciesAreReviewed(t *testing.T) {
	required, reviewed := map[string]bool{}, map[string]bool{}
	for _, found := range direct.FindAllStringSubmatch(read(t, root+"/go.mod"), -1) {
		required[found[1]] = true
	}
	for _, found := range dependencyRow.FindAllStringSubmatch(read(t, root+"/docs/dependencies.md"), -1) {
		if reviewed[found[1]] {
			t.Errorf("%s has two rows", found[1])
		}
		reviewed[found[1]] = true
		for _, cell := range found[2:] {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("the row of %s has an empty cell", found[1])
			}
		}
	}
	if len(required) < 10 {
		t.Fatalf("go.mod was misread: %d modules are required", len(required))
	}
	for _, module := range slices.Sorted(maps.Keys(required)) {
		if !reviewed[module] {
			t.Errorf("%s is required, and has no row", module)
		}
		delete(reviewed, module)
	}
	for module := range reviewed {
		t.Errorf("%s has a row, and is not required", module)
	}
}

// go install refuses a module whose go.mod replaces or excludes others.
func TestNothingIsReplaced(t *testing.T) {
	file := read(t, root+"/go.mod")
	if found := regexp.MustCompile(`(?m)^\s*(replace|exclude)\b.*`).FindString(file); found != "" {
		t.Errorf("go.mod has %q, so go install of the plugin is refused", found)
	}
	if !regexp.MustCompile(`(?m)^require\b`).MatchString(file) {
		t.Error("go.mod was misread")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
