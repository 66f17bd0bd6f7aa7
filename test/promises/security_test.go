package promises

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const securityPage = root + "/docs/operations/security.md"

// TestClaimsAreHeld: every claim about security has an id of its own and names tests.
func TestClaimsAreHeld(t *testing.T) {
	known := map[string]bool{}
	for _, row := range page.Rows(read(t, securityPage)) {
		id := row[0]
		if !strings.HasPrefix(id, "sec-") {
			continue
		}
		if known[id] {
			t.Errorf("%s is there twice", id)
		}
		known[id] = true
		if len(row) != 4 || !testName.MatchString(row[3]) {
			t.Errorf("%s has no test", id)
		}
	}
	if len(known) == 0 {
		t.Error("there are no claims")
	}
}

// TestFuzzTestsAreNamed: the page names each fuzz test of the main module.
func TestFuzzTestsAreNamed(t *testing.T) {
	text, found := read(t, securityPage), 0
	for _, folder := range foldersWithTests(t) {
		for name := range functions(folder) {
			if strings.HasPrefix(name, "Fuzz") {
				found++
				if !strings.Contains(text, "`"+folder+"."+name+"`") {
					t.Errorf("%s.%s is not named", folder, name)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d fuzz tests were found", found)
	}
}

// foldersWithTests returns the folders of packages of the main module that may have fuzz tests, relative to its root.
func foldersWithTests(t *testing.T) []string {
	t.Helper()
	folders := map[string]bool{}
	for _, under := range []string{"cmd", "pkg", "plugins", "test", "example"} {
		err := filepath.WalkDir(filepath.Join(root, under), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				folder, _ := filepath.Rel(root, filepath.Dir(path))
				folders[filepath.ToSlash(folder)] = true
			}
			return err
		})
		require.NoError(t, err)
	}
	return slices.Sorted(maps.Keys(folders))
}
