package reason

import (
	"reflect"
	"testing"
)

// Facts written to annotations are read back, and foreign content is no fact.
func TestFacts(t *testing.T) {
	for _, f := range []Facts{
		{},
		Facts{Tasks: []string{"w-3"}, Row: "R6", Node: "n"}.OfAttempt(0).Ended(0, "Succeeded"),
		Facts{Tasks: []string{"w-3", "w-4"}, Cause: TaskEnded}.Ended(-101, ""),
		Deleted{Kind: Pod, Why: Deletion{Cause: ScaleDown, Ended: true, Code: -230, Row: "R0"}, Tasks: []string{"w-3"}, Attempt: 2}.EventFacts(),
		{Role: "w", Scale: &Scale{From: 3, To: 0}},
		Deleted{Kind: Pod, Why: Deletion{Cause: Orphan}, Attempt: -1}.EventFacts(),
	} {
		if got := FactsOf(f.Annotations()); !reflect.DeepEqual(got, f) {
			t.Errorf("%+v came back as %+v", f, got)
		}
	}
	odd := FactsOf(map[string]string{KeyCause: "Whim", KeyCode: "1e3", KeyAttempt: "99999999999", KeyFrom: "1"})
	if !reflect.DeepEqual(odd, Facts{}) {
		t.Errorf("odd annotations are read as %+v", odd)
	}
	if (Facts{}).Annotations() != nil {
		t.Error("no facts are annotations")
	}
}

// An event about several Tasks is not about any one of them, and a deletion has the facts from which it was made.
func TestFactsOfSeveral(t *testing.T) {
	if one, two := (Facts{Tasks: []string{"w-1"}}).Task(), (Facts{Tasks: []string{"w-1", "w-2"}}).Task(); one != "w-1" || two != "" {
		t.Errorf("got %q and %q", one, two)
	}
	why := Deletion{Cause: ForcedAfterTimeout, Ended: true, Code: -101, Row: "R2"}
	if got := (Deleted{Kind: Pod, Why: why, Attempt: -1}).EventFacts().Deletion(); got != why {
		t.Errorf("got %+v", got)
	}
}
