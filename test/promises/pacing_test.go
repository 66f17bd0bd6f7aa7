package promises

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The table of pacing in docs/design/architecture.md has the constants of a rule in the last cell, each before its file:
// "`coalesce` in `pacing.go`".
const pacingHeading = "## What may delay a write, a request or a round"

// TestPacingTable: each constant of the table is declared in the file that the table names. Files about pacing alone declare no
// others.
func TestPacingTable(t *testing.T) {
	section := page.Section(t, read(t, root+"/docs/design/architecture.md"), pacingHeading)
	declared := constantsByFile(t)
	rules := 0
	for _, row := range page.Rows(section) {
		if len(row) != 6 || row[0] == "Rule" || strings.HasPrefix(row[0], "**") {
			continue // headings
		}
		rules++
		for _, problem := range undeclared(row[5], declared) {
			t.Errorf("%s: %s", row[0], problem)
		}
	}
	if rules < 7 {
		t.Errorf("only %d rules were found", rules)
	}
	for _, file := range []string{"pacing.go", "limiter.go", "slots.go", "pool.go", "backoff.go", "priority_queue.go", "large_reads.go", "memory_budget.go"} {
		for name := range declared[file] {
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%s has %s, which docs/design/architecture.md does not list", file, name)
			}
		}
	}
}

func TestPacingMistakesAreFound(t *testing.T) {
	declared := map[string]map[string]bool{"a.go": {"one": true}, "b.go": {"two": true}}
	for cell, want := range map[string]int{
		"`one` in `a.go`, `two` in `b.go`": 0,
		"`one` `two` in `a.go`":            1,
		"`one` in `c.go`":                  1,
		"`one`":                            1,
		"":                                 0,
	} {
		if got := undeclared(cell, declared); len(got) != want {
			t.Errorf("%q has the mistakes %q", cell, got)
		}
	}
}

var backquoted = regexp.MustCompile("`([^`]+)`")

// undeclared lists the constants of a cell that the file named after them does not declare.
func undeclared(cell string, declared map[string]map[string]bool) (problems []string) {
	var names []string
	for _, found := range backquoted.FindAllStringSubmatch(cell, -1) {
		if !strings.HasSuffix(found[1], ".go") {
			names = append(names, found[1])
			continue
		}
		for _, name := range names {
			if !declared[found[1]][name] {
				problems = append(problems, found[1]+" does not declare "+name)
			}
		}
		names = nil
	}
	for _, name := range names {
		problems = append(problems, "no file is named for "+name)
	}
	return problems
}

// constantsByFile returns the names of the constants and variables below pkg, by the name of the file that declares them for its package.
// Constants counted by iota are no quantities.
func constantsByFile(t *testing.T) map[string]map[string]bool {
	t.Helper()
	byFile := map[string]map[string]bool{}
	err := filepath.WalkDir(root+"/pkg", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		names := byFile[d.Name()]
		if names == nil {
			names = map[string]bool{}
			byFile[d.Name()] = names
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && (g.Tok == token.CONST || g.Tok == token.VAR) {
				addQuantities(names, g)
			}
		}
		return nil
	})
	require.NoError(t, err)
	return byFile
}

func addQuantities(names map[string]bool, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		values := spec.(*ast.ValueSpec)
		if len(values.Values) == 0 {
			continue
		}
		if first, ok := values.Values[0].(*ast.Ident); ok && first.Name == "iota" {
			continue
		}
		for _, name := range values.Names {
			names[name.Name] = true
		}
	}
}
