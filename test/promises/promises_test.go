// Package promises holds docs/promises.md against the tests that it names.
package promises

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root = "../.."
	page = root + "/docs/promises.md"
	// leftOpen is the heading below which promises have no tests.
	leftOpen = "## Not yet"
)

// promise is one row of the page.
type promise struct {
	id, says, means string
	tests           []string
}

// TestPromisesAreHeld: every promise has an id of its own, says what it means, and names tests that exist.
func TestPromisesAreHeld(t *testing.T) {
	promises := readPage(t)
	if len(promises) == 0 {
		t.Fatal("there are no promises")
	}
	known := map[string]bool{}
	for _, p := range promises {
		if p.id == "" || known[p.id] {
			t.Errorf("id %q is empty or taken", p.id)
		}
		known[p.id] = true
		if p.says == "" || p.means == "" {
			t.Errorf("%s says nothing, or means nothing", p.id)
		}
		if len(p.tests) == 0 {
			t.Errorf("%s has no test", p.id)
		}
		for _, name := range p.tests {
			if missing := missing(name); missing != "" {
				t.Errorf("%s: %s", p.id, missing)
			}
		}
	}
}

var (
	row       = regexp.MustCompile(`^\| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$`)
	gap       = regexp.MustCompile(`\n\n\| ([a-z]+-[0-9]+) \|`)
	quoted    = regexp.MustCompile("`([^`]+)`")
	function  = regexp.MustCompile(`^([a-z0-9/_-]+)\.((?:Test|Fuzz)[A-Za-z0-9_]+)$`)
	storyPart = regexp.MustCompile(`^(pkg/lifecycle/testdata/[a-z0-9_]+\.txt): (.+)$`)
)

// readPage returns the rows of the page's tables, up to what is left open. A line that begins like a row but is none
// is a mistake, as are lines that are no part of a known table. An empty line ends a table, also amid its rows.
func readPage(t *testing.T) []promise {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	held, open, found := strings.Cut(string(text), leftOpen)
	if !found || strings.Contains(open, "\n|") || strings.Contains(open, "\n## ") {
		t.Errorf("the page has to end with %q, and no table is to follow", leftOpen)
	}
	if found := gap.FindStringSubmatch(held); found != nil {
		t.Errorf("the table ends before %s, which is no row of it then", found[1])
	}
	var promises []promise
	for line := range strings.SplitSeq(held, "\n") {
		if !strings.HasPrefix(line, "|") || line == "|---|---|---|---|" || line == "| Id | Promise | What it means for you | Held by |" {
			continue
		}
		cells := row.FindStringSubmatch(line)
		if cells == nil {
			t.Errorf("not a row: %s", line)
			continue
		}
		p := promise{id: cells[1], says: cells[2], means: cells[3]}
		for _, match := range quoted.FindAllStringSubmatch(cells[4], -1) {
			p.tests = append(p.tests, match[1])
		}
		if rest := strings.TrimSpace(quoted.ReplaceAllString(cells[4], "")); rest != "" {
			t.Errorf("%s: names of tests are in backquotes, %q is not", p.id, rest)
		}
		promises = append(promises, p)
	}
	return promises
}

// missing says what is missing of a test; nothing if it exists.
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
			continue // the compiler says it better
		}
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// A name that is wrong is found to be, or else the test above would hold anything.
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
