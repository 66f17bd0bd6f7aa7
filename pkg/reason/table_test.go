package reason

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// Each waiting reason has its own complete row, and each row is for a constant.
func TestWaitingTable(t *testing.T) {
	var rows []string
	for _, row := range WaitingTable() {
		name := string(row.Reason)
		rows = append(rows, name)
		if row.Reason.Row().Means != row.Means {
			t.Errorf("%s is not in its place", name)
		}
		requireSentences(t, name, row.Means, row.Ends)
		requireAbout(t, name, row.About)
		requireSteps(t, name, row.Next)
		if row.When == "" || len(row.Symptoms) == 0 {
			t.Errorf("%s: the manual has nothing of it", name)
		}
		for _, s := range row.Symptoms {
			if s.LookAt == "" || s.Cause == "" || s.WayOut == "" {
				t.Errorf("%s: %+v leaves something open", name, s)
			}
		}
	}
	requireAll(t, rows, constants(t, "waiting.go"))
	if unknown := Waiting("OfSomeWebhook").Row(); unknown.Reason != RequestRefused {
		t.Errorf("what no row is for has that of %s", unknown.Reason)
	}
}

// Each event reason has its own complete row, and each row is for a constant.
func TestEventTable(t *testing.T) {
	var rows []string
	for _, row := range EventTable() {
		name := string(row.Reason)
		rows = append(rows, name)
		if row.Reason.Row().Means != row.Means {
			t.Errorf("%s is not in its place", name)
		}
		if row.When == "" || !slices.Contains([]string{Normal, Warning, NormalOrWarning}, row.Type) || row.Untold && row.Type != Warning {
			t.Errorf("%s: type %q, when %q", name, row.Type, row.When)
		}
		requireSentences(t, name, row.Means)
		if row.Ends != "" {
			requireSentences(t, name, row.Ends)
		}
		if row.Untold && row.Change == "" || row.Change != "" && !change.MatchString(row.Change) {
			t.Errorf("%s: %q is to be changed", name, row.Change)
		}
		requireAbout(t, name, row.About)
		requireSteps(t, name, row.Next)
	}
	requireAll(t, rows, constants(t, "event.go"))
	if Event("Whim").Row().Reason != "" {
		t.Error("what is no reason has a row")
	}
}

func requireSentences(t *testing.T, name string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !sentence.MatchString(text) {
			t.Errorf("%s: %q is no sentence", name, text)
		}
	}
}

func requireAbout(t *testing.T, name string, about Kind) {
	t.Helper()
	if !slices.Contains([]Kind{Framework, TaskRole, Task, Pod, ConfigMap, Object, Plugin}, about) {
		t.Errorf("%s is about %q", name, about)
	}
}

func requireSteps(t *testing.T, name string, steps []Step) {
	t.Helper()
	if len(steps) == 0 {
		t.Errorf("%s: there is no command to run next", name)
	}
	for _, step := range steps {
		if step.Why == "" || !knownNames(step.Command) {
			t.Errorf("%s: %+v", name, step)
		}
	}
}

// knownNames reports whether a command names nothing that is never known. The braces of a jsonpath have no name alone in them.
func knownNames(command string) bool {
	for _, found := range nameInBraces.FindAllStringSubmatch(command, -1) {
		if !slices.Contains([]string{"framework", "namespace", "role", "task", "pod", "node"}, found[1]) {
			return false
		}
	}
	return command != ""
}

func requireAll(t *testing.T, rows, constants []string) {
	t.Helper()
	slices.Sort(rows)
	slices.Sort(constants)
	if len(rows) == 0 || !slices.Equal(rows, constants) {
		t.Errorf("there are rows for %q, and constants %q", rows, constants)
	}
}

// constants are the texts of a file's constants.
func constants(t *testing.T, path string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
