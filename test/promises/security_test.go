package promises

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// claim is a row of docs/security.md, and testName what names a test anywhere in it.
var (
	claim    = regexp.MustCompile(`(?m)^\| (sec-\d+) \| ([^|]+) \| ([^|]*) ?\| ([^|]*) \|$`)
	testName = regexp.MustCompile("`([a-z0-9/_-]+\\.(?:Test|Fuzz)[A-Za-z0-9_]+)`")
)

// TestClaimsAreHeld: every claim about security has an id of its own and tests, and all tests that the page names exist.
func TestClaimsAreHeld(t *testing.T) {
	page := read(t, root+"/docs/security.md")
	known := map[string]bool{}
	for _, row := range claim.FindAllStringSubmatch(page, -1) {
		if known[row[1]] {
			t.Errorf("%s is there twice", row[1])
		}
		known[row[1]] = true
		if !testName.MatchString(row[4]) {
			t.Errorf("%s has no test", row[1])
		}
	}
	if rows := strings.Count(page, "\n| sec-"); rows == 0 || rows != len(known) {
		t.Errorf("%d of %d claims can be read", len(known), rows)
	}
	for _, found := range testName.FindAllStringSubmatch(page, -1) {
		if missing := missing(found[1]); missing != "" {
			t.Error(missing)
		}
	}
}

// TestFuzzTestsAreNamed: the page names each fuzz test of the main module.
func TestFuzzTestsAreNamed(t *testing.T) {
	page, found := read(t, root+"/docs/security.md"), 0
	for _, folder := range foldersWithTests(t) {
		for name := range functions(folder) {
			if strings.HasPrefix(name, "Fuzz") {
				found++
				if !strings.Contains(page, "`"+folder+"."+name+"`") {
					t.Errorf("%s.%s is not named", folder, name)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d fuzz tests were found", found)
	}
}

// foldersWithTests are those of packages of the main module that may have fuzz tests, relative to its root.
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
