package reason

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the tables in the manual anew")

const page = "../../docs/user-manual/status.md"

// The table in the manual is that of the code. With -rewrite it is made so.
func TestDocs(t *testing.T) {
	written, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- causes: generated -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(written), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	want := before + begin + "\n" + causesTable() + "\n" + end + after
	if want == string(written) {
		return
	}
	if !*rewrite {
		t.Fatalf("%s is out of date: go test ./pkg/reason -rewrite", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func causesTable() string {
	var b strings.Builder
	b.WriteString("| Cause | Deleted | Meaning | To avoid it | Event |\n|:---- |:---- |:---- |:---- |:---- |\n")
	for _, row := range Causes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", row.ID, deletedBy(row), row.Means, row.Change, eventsOf(row))
	}
	return b.String()
}

func deletedBy(row Row) string {
	var kinds []string
	for _, kind := range Kinds() {
		if row.May(kind) {
			kinds = append(kinds, string(kind))
		}
	}
	return strings.Join(kinds, ", ")
}

func eventsOf(row Row) string {
	var reasons []string
	for _, kind := range Kinds() {
		if reason := "`" + row.EventOf(kind) + "`"; row.May(kind) && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, ", ")
}
