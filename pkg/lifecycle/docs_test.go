package lifecycle_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

const (
	stateMachines = "../../docs/design/state-machines.md"
	retryPolicy   = "../../docs/reference/retry-policy.md"
)

// TestDocs: the tables in the documentation are made from the code, with -rewrite.
func TestDocs(t *testing.T) {
	requireSections(t, stateMachines, map[string]string{
		"states":    statesDiagram(t),
		"framework": transitionTable(lifecycle.FrameworkTable()),
		"task":      transitionTable(lifecycle.TaskTable()),
		"retry":     retryTable(),
	})
	requireSections(t, retryPolicy, map[string]string{"retry": retryTable()})
}

// requireSections compares the generated sections of a page, by name.
func requireSections(t *testing.T, path string, sections map[string]string) {
	t.Helper()
	want := page.Read(t, path)
	for name, text := range sections {
		want = page.Generated(t, want, name, text)
	}
	page.Keep(t, path, want, flag.Lookup("rewrite").Value.String() == "true") // the flag of the stories
}

// statesDiagram is the drawing in doc.go.
func statesDiagram(t *testing.T) string {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, states, _ := strings.Cut(string(doc), "// # States\n")
	var lines []string
	for line := range strings.Lines(states) {
		if drawn, ok := strings.CutPrefix(line, "//\t"); ok {
			lines = append(lines, drawn)
		}
	}
	return "```text\n" + strings.Join(lines, "") + "```\n"
}

func transitionTable(rows []lifecycle.Transition) string {
	var b strings.Builder
	b.WriteString("| Row | From | To | When | Effect |\n|:---- |:---- |:---- |:---- |:---- |\n")
	for _, row := range rows {
		to := code(row.To)
		if row.Hold() {
			to = "stays"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.ID, codes(row.From), to, row.When, row.Effect)
	}
	return b.String()
}

func codes(states []v1.State) string {
	var words []string
	for _, state := range states {
		words = append(words, code(state))
	}
	return strings.Join(words, ", ")
}

// code is a state in short: the prefix that nearly all have is left out.
func code(state v1.State) string {
	switch {
	case state == "":
		return "none"
	case state == v1.AttemptCompleted:
		return "`AttemptCompleted`"
	}
	return "`" + strings.TrimPrefix(string(state), "Attempt") + "`"
}

func retryTable() string {
	var b strings.Builder
	b.WriteString("| Row | When | Retry | Counted | Delay |\n|:---- |:---- |:---- |:---- |:---- |\n")
	for _, row := range retry.Table() {
		retry, counted, delay := "no", "", ""
		if row.Retry {
			retry, counted, delay = "yes", "no", "backoff"
		}
		if row.Accountable {
			counted = "yes"
		}
		if row.Conflict {
			delay = "Framework: random; Task: backoff"
		}
		if row.AtOnce {
			delay = "none"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.ID, row.When, retry, counted, delay)
	}
	return b.String()
}
