// Package promises holds docs/design/promises.md against the tests that held.yaml names.
package promises

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const (
	root         = "../.."
	promisesPage = root + "/docs/design/promises.md"
	// testsFile has the tests of each promise.
	testsFile = "held.yaml"
	// mostWords is how long a promise may be: one that needs more is a page of the manual.
	mostWords = 25
	// leftOpen is the heading below which promises have no tests.
	leftOpen = "## Not yet"
)

// promise is one row of the page.
type promise struct {
	id, says, means string
}

// TestPromisesAreHeld: every promise has an id of its own, a meaning, is short, and is held by tests that exist.
func TestPromisesAreHeld(t *testing.T) {
	promises := readPage(t)
	if len(promises) == 0 {
		t.Fatal("there are no promises")
	}
	var tests map[string][]string
	require.NoError(t, yaml.Unmarshal([]byte(read(t, testsFile)), &tests))
	known := map[string]bool{}
	for _, p := range promises {
		if p.id == "" || known[p.id] {
			t.Errorf("id %q is empty or taken", p.id)
		}
		known[p.id] = true
		if p.says == "" || p.means == "" {
			t.Errorf("%s says nothing, or means nothing", p.id)
		}
		if words := len(strings.Fields(p.says)); words > mostWords {
			t.Errorf("%s has %d words; %d are enough for a promise", p.id, words, mostWords)
		}
		if len(tests[p.id]) == 0 {
			t.Errorf("%s has no test in %s", p.id, testsFile)
		}
		for _, name := range tests[p.id] {
			if missing := missing(name); missing != "" {
				t.Errorf("%s: %s", p.id, missing)
			}
		}
	}
	for id := range tests {
		if !known[id] {
			t.Errorf("%s has %s, which is no promise", testsFile, id)
		}
	}
}

var (
	function  = regexp.MustCompile(`^([a-z0-9/_-]+)\.((?:Test|Fuzz)[A-Za-z0-9_]+)$`)
	storyPart = regexp.MustCompile(`^(pkg/lifecycle/testdata/[a-z0-9_]+\.txt): (.+)$`)
)

// readPage returns the rows of the page's tables, which all have the same headings. No table is below the open points.
func readPage(t *testing.T) (promises []promise) {
	t.Helper()
	kept, open, found := strings.Cut(read(t, promisesPage), "\n"+leftOpen+"\n")
	if !found || len(page.Tables(open)) > 0 || len(page.Headings(open)) > 0 {
		t.Errorf("the page has to end with %q, and no table is to follow", leftOpen)
	}
	for _, table := range page.Tables(kept) {
		if !slices.Equal(table[0], []string{"Id", "Promise", "What it means for you"}) {
			t.Errorf("a table begins with %q: are there empty lines in the one before?", table[0])
		}
		for _, row := range table[1:] {
			if len(row) != 3 {
				t.Fatalf("not a promise: %q", row)
			}
			promises = append(promises, promise{id: row[0], says: row[1], means: row[2]})
		}
	}
	return promises
}

// missing returns the missing part of a test; empty if the test exists.
func missing(name string) string {
	if parts := storyPart.FindStringSubmatch(name); parts != nil {
		return missingStory(parts[1], parts[2])
	}
	parts := function.FindStringSubmatch(name)
	switch {
	case parts == nil:
		return name + " is neither a test nor a part of a story"
	case !functions(parts[1])[parts[2]]:
		return name + " does not exist"
	}
	return ""
}

// missingStory looks for a phrase in the comments of a story. Comments may break their lines anywhere.
func missingStory(path, phrase string) string {
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return err.Error()
	}
	var comments []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			comments = append(comments, comment)
		}
	}
	if !strings.Contains(strings.Join(comments, " "), phrase) {
		return path + " has no comment that says " + phrase
	}
	return ""
}

var byFolder = map[string]map[string]bool{}

// functions returns the names of the tests of a package; none if there is no such package.
func functions(folder string) map[string]bool {
	if names := byFolder[folder]; names != nil {
		return names
	}
	names := map[string]bool{}
	byFolder[folder] = names
	files, _ := filepath.Glob(filepath.Join(root, folder, "*_test.go")) // fails only for a bad pattern
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it better
		}
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// Wrong names are found; otherwise TestPromisesAreHeld would accept anything.
func TestWrongNamesAreFound(t *testing.T) {
	for _, name := range []string{
		"pkg/lifecycle.TestNoSuchThing",
		"pkg/nowhere.TestStories",
		"pkg/lifecycle.newChecker",
		"TestStories",
		"pkg/lifecycle/testdata/nosuch.txt: R4",
		"pkg/lifecycle/testdata/retry_task.txt: a phrase that is not there",
		"pkg/lifecycle/testdata/retry_task.txt",
	} {
		if missing(name) == "" {
			t.Errorf("%s is taken for a test", name)
		}
	}
	for _, name := range []string{
		"pkg/lifecycle.TestStories",
		"pkg/lifecycle.FuzzStep",
		"pkg/lifecycle/testdata/retry_task.txt: R4",
	} {
		if missing := missing(name); missing != "" {
			t.Error(missing)
		}
	}
}
