package promises

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var direct = regexp.MustCompile(`(?m)^(?:require )?\s+(\S+) v\S+$`) // the others end in "// indirect"

// TestDependenciesAreReviewed: each module that ours requires itself has a row in docs/design/dependencies.md, and no other has.
func TestDependenciesAreReviewed(t *testing.T) {
	required, reviewed := map[string]bool{}, map[string]bool{}
	for _, found := range direct.FindAllStringSubmatch(read(t, root+"/go.mod"), -1) {
		required[found[1]] = true
	}
	for _, row := range page.Tables(read(t, root+"/docs/design/dependencies.md"))[0][1:] {
		module := strings.Trim(row[0], "`")
		if reviewed[module] {
			t.Errorf("%s has two rows", module)
		}
		reviewed[module] = true
		if len(row) != 5 || slices.Contains(row, "") {
			t.Errorf("the row of %s has not five cells that say something", module)
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
