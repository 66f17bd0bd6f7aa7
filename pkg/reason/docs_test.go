package reason_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = flag.Bool("rewrite", false, "write the tables in the manual anew")

// The tables in the manual are made from the code, with -rewrite.
func TestDocs(t *testing.T) {
	for _, test := range []struct{ page, name, table string }{
		{"reference/waiting-reasons.md", "waiting reasons", waitingTable()},
		{"reference/events.md", "events", eventTable()},
		{"reference/deletion-causes.md", "causes", causesTable()},
		{"operations/troubleshooting.md", "waits", symptomsTable()},
		{"reference/codes.md", "codes", codesTable()},
	} {
		path := "../../docs/" + test.page
		page.Keep(t, path, page.Generated(t, page.Read(t, path), test.name, test.table), *rewrite)
	}
}

func waitingTable() string {
	var b strings.Builder
	b.WriteString("| Reason of `Waiting` | About | When |\n|:---- |:---- |:---- |\n")
	for _, row := range reason.WaitingTable() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Reason, row.About, row.When)
	}
	return b.String()
}

func symptomsTable() string {
	var b strings.Builder
	b.WriteString("| Reason of `Waiting` | Look at | Cause | Way out |\n|:---- |:---- |:---- |:---- |\n")
	for _, row := range reason.WaitingTable() {
		for _, s := range row.Symptoms {
			sign := ""
			if s.Sign != "" {
				sign = ", " + s.Sign
			}
			fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s |\n", row.Reason, sign, s.LookAt, s.Cause, s.WayOut)
		}
	}
	return b.String()
}

func eventTable() string {
	var b strings.Builder
	b.WriteString("| Reason | Type | About | When | What to change |\n|:---- |:---- |:---- |:---- |:---- |\n")
	for _, row := range reason.EventTable() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", row.Reason, row.Type, row.About, row.When, row.Change)
	}
	return b.String()
}

func causesTable() string {
	var b strings.Builder
	b.WriteString("| Cause | Deleted | Meaning | What to change | Event |\n|:---- |:---- |:---- |:---- |:---- |\n")
	for _, row := range reason.Causes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", row.ID, deletedBy(row), row.Means, row.Change, eventsOf(row))
	}
	return b.String()
}

func deletedBy(row reason.Row) string {
	var kinds []string
	for _, kind := range reason.Kinds() {
		if row.May(kind) {
			kinds = append(kinds, string(kind))
		}
	}
	return strings.Join(kinds, ", ")
}

func eventsOf(row reason.Row) string {
	var reasons []string
	for _, kind := range reason.Kinds() {
		if event := "`" + string(row.EventOf(kind)) + "`"; row.May(kind) && !slices.Contains(reasons, event) {
			reasons = append(reasons, event)
		}
	}
	return strings.Join(reasons, ", ")
}

func codesTable() string {
	var b strings.Builder
	b.WriteString("| Code | Phrase | Attributes | When | What to change |\n|:---- |:---- |:---- |:---- |:---- |\n")
	for _, e := range completion.Table() {
		var attributes []string
		for _, a := range e.Attributes {
			attributes = append(attributes, string(a))
		}
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %s |\n", e.Code, e.Phrase, strings.Join(attributes, ", "), e.When, e.Change)
	}
	return b.String()
}
