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
)

const stateMachines = "../../docs/state-machines.md"

// TestDocs: the tables in docs/state-machines.md are those of the code. With -rewrite they are made so.
func TestDocs(t *testing.T) {
	written, err := os.ReadFile(stateMachines)
	require.NoError(t, err)
	want := string(written)
	for name, text := range map[string]string{
		"states":    statesDiagram(t),
		"framework": transitionTable(lifecycle.FrameworkTable()),
		"task":      transitionTable(lifecycle.TaskTable()),
		"retry":     retryTable(),
	} {
		want = replaceSection(t, want, name, text)
	}
	if want == string(written) {
		return
	}
	if flag.Lookup("rewrite").Value.String() != "true" { // the flag of the stories
		t.Fatalf("%s is out of date: go test ./pkg/lifecycle -rewrite", stateMachines)
	}
	require.NoError(t, os.WriteFile(stateMachines, []byte(want), 0o644))
}

// replaceSection puts text between the markers of that name.
func replaceSection(t *testing.T, document, name, text string) string {
	begin, end := "<!-- "+name+": generated -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(document, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("there is no section %s", name)
	}
	return before + begin + "\n" + text + "\n" + end + after
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
