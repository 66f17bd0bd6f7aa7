package reason

import (
	"regexp"
	"testing"
)

var (
	id           = regexp.MustCompile(`^([A-Z][a-z]+)+$`)
	sentence     = regexp.MustCompile(`^[A-Za-z].*\.$`)
	change       = regexp.MustCompile(`^[a-z].*\.$`)
	braces       = regexp.MustCompile(`\{(?:framework|task|pod|namespace)\}`)
	anyBrace     = regexp.MustCompile(`[{}]`)
	nameInBraces = regexp.MustCompile(`\{([a-z]+)\}`)
)

// Each cause has its own complete row.
func TestCauses(t *testing.T) {
	seen := map[string]bool{}
	for i, row := range Causes() {
		if row.Cause != Cause(i+1) || row.Cause.Row() != row || CauseOf(row.ID) != row.Cause || row.Cause.String() != row.ID {
			t.Errorf("%s is not in its place", row.ID)
		}
		if !id.MatchString(row.ID) || seen[row.ID] {
			t.Errorf("%q is no id of its own", row.ID)
		}
		seen[row.ID] = true
		if !row.May(Pod) && !row.May(ConfigMap) {
			t.Errorf("%s: nothing is deleted for it", row.ID)
		}
		for _, kind := range Kinds() {
			if row.May(kind) && row.EventOf(kind).Row().Reason == "" {
				t.Errorf("%s is reported by %s, which is no event", row.ID, row.EventOf(kind))
			}
		}
		if !sentence.MatchString(row.Means) || row.Change != "" && !change.MatchString(row.Change) {
			t.Errorf("%s: no sentences: %q, %q", row.ID, row.Means, row.Change)
		}
		if row.Next.Command == "" || row.Next.Why == "" || anyBrace.MatchString(braces.ReplaceAllString(row.Next.Command, "")) {
			t.Errorf("%s: no command to run next: %+v", row.ID, row.Next)
		}
	}
	if last := TaskDeadline; int(last) != len(Causes()) {
		t.Errorf("%d causes have %d rows", last, len(Causes()))
	}
}

// An invalid cause has no row.
func TestNoCause(t *testing.T) {
	for _, c := range []Cause{0, TaskDeadline + 1, 255} {
		if c.Row() != (Row{}) || c.String() != "" {
			t.Errorf("%d is %q", uint8(c), c)
		}
	}
	if CauseOf("") != 0 || CauseOf("taskretry") != 0 {
		t.Error("there is a cause by another name")
	}
}
