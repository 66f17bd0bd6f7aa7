package promises

import (
	"regexp"
	"strings"
	"testing"
)

// testName is how a page names a test.
var testName = regexp.MustCompile("`([a-z0-9/_-]+\\.(?:Test|Fuzz)[A-Za-z0-9_]+)`")

// TestNamedTestsExist: all tests that a page names exist.
func TestNamedTestsExist(t *testing.T) {
	named := 0
	for _, path := range markdownPages(t) {
		for _, found := range testName.FindAllStringSubmatch(read(t, path), -1) {
			named++
			if missing := missing(found[1]); missing != "" {
				t.Errorf("%s: %s", strings.TrimPrefix(path, root+"/"), missing)
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d names of tests were found", named)
	}
}
