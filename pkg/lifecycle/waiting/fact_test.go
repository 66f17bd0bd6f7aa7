package waiting

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A Pod that is on no node is kept by a finalizer.
func TestTerminatingOnNoNode(t *testing.T) {
	if got, want := (Termination{}).why(""), "it has a finalizer"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// quota is an action that fails, in the words of a quota.
func quota(index int32, words string) Fact {
	f := Fact{Reason: reason.Forbidden, Action: CreatePod, Words: words}
	f.Role, f.Index, f.Pod = "w", index, v1.PodName("f", "w", index)
	return f
}

// A stored fact stays, with its start time, while only fleeting words have changed.
func TestBlockerIsSettled(t *testing.T) {
	edited := quota(0, "used: cpu=8")
	edited.Edited = true
	deletion := quota(0, "used: cpu=8")
	deletion.Action = DeletePod
	for name, test := range map[string]struct {
		now  Fact
		kept bool
	}{
		"the same":           {quota(0, "used: cpu=7"), true},
		"other numbers":      {quota(0, "used: cpu=8"), true},
		"other words":        {quota(0, "used: memory=8"), false},
		"after an edit":      {edited, false},
		"of another Task":    {quota(1, "used: cpu=8"), false},
		"for another action": {deletion, false},
	} {
		before := quota(0, "used: cpu=7").Status(nil, metav1.NewTime(noon))
		f, _ := Of(View{Framework: "f", Now: noon, Stored: before, Blockers: []Fact{test.now}, Tasks: pods{}})
		if kept := f.Words == before.Message; kept != test.kept {
			t.Errorf("%s: %q", name, f.Sentence())
		}
		after := f.Status(before, metav1.NewTime(noon.Add(time.Hour)))
		if !after.Since.Time.Equal(noon) {
			t.Errorf("%s: since %s", name, after.Since)
		}
	}
}

// A stored action is restored unchanged.
func TestRestored(t *testing.T) {
	for _, f := range []Fact{quota(0, "used: cpu=7"), quota(3, ""), {Reason: reason.HintsRefused, Action: AskHints, Words: "no"}} {
		w := f.Status(nil, metav1.NewTime(noon))
		if got := Restored(w); got.Sentence() != f.Sentence() || !got.isAbout(w) || got.Reason != f.Reason {
			t.Errorf("%q became %q", f.Sentence(), got.Sentence())
		}
	}
}
