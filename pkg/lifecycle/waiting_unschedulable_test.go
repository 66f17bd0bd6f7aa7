package lifecycle

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var noon = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// unplaced is a round of a Framework with one Task for each text, which is what its scheduler says. Each was said a second
// after the one before.
func unplaced(texts ...string) (r *round, late []TaskRef) {
	r = &round{in: Input{Now: noon, Framework: Framework{Name: "f"}}}
	r.in.Observed.Stalls = map[TaskRef]Stall{}
	for i, text := range texts {
		ref := TaskRef{"w", int32(i)}
		r.in.Observed.Stalls[ref] = Stall{StallCause: StallCause{Reason: ReasonUnschedulable, Words: text, Since: noon.Add(time.Duration(i) * time.Second)}}
		late = append(late, ref)
	}
	return r, late
}

func (r *round) store(said Blocker) {
	r.status.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: said.Reason, Message: said.Message}}
}

func TestSpeaker(t *testing.T) {
	const follower = "0/1 nodes are available: 1 optimistic rejection in PostFilter."
	tests := map[string]struct {
		texts []string
		want  int32
	}{
		"all say the same":                {[]string{"4 Insufficient cpu", "4 Insufficient cpu"}, 0},
		"one has the reason":              {[]string{follower, follower, "4 Insufficient cpu"}, 2},
		"all follow":                      {[]string{follower, follower}, 0},
		"nobody has words":                {[]string{"", ""}, 0},
		"most are right":                  {[]string{"no volume", "no cpu", "no cpu"}, 1},
		"numbers do not matter":           {[]string{"no volume", "1 Insufficient cpu", "22 Insufficient cpu"}, 1},
		"names of Pods do not matter":     {[]string{"no volume", "f-w-1 has no room", "f-w-2 has no room"}, 1},
		"ends of sentences do not matter": {[]string{"no volume", "no room for f-w-1.", "no room for f-w-2."}, 1},
		"the last one of equals":          {[]string{"no volume", "no cpu"}, 1},
		"the last one, though not by the order": {
			[]string{"no cpu", "no volume", "no volume", "no cpu"}, 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, late := unplaced(test.texts...)
			if got := r.mostExplained(late); got.Index != test.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

// Words that come later are no news. Whoever has told only that Pods follow looks again.
func TestReasonIsAwaited(t *testing.T) {
	r, late := unplaced("1 optimistic rejection", "1 optimistic rejection")
	first := r.stalled(ReasonUnschedulable, late)
	if want := noon.Add(startPatience); !r.out.WakeAt.Equal(want) {
		t.Errorf("another look at %s, want %s", r.out.WakeAt, want)
	}
	r, late = unplaced("1 optimistic rejection", "1 optimistic rejection", "x")
	r.store(first)
	if again := r.stalled(ReasonUnschedulable, late[:2]); again != first || r.out.WakeAt.IsZero() {
		t.Errorf("it says %q after %q, and looks again at %s", again.Message, first.Message, r.out.WakeAt)
	}
	r, late = unplaced("1 optimistic rejection", "4 Insufficient cpu")
	r.store(first)
	second := r.stalled(ReasonUnschedulable, late)
	if want := "Task w-1 (Pod f-w-1) and 1 more: no node was found: 4 Insufficient cpu"; second.Message != want || !r.out.WakeAt.IsZero() {
		t.Errorf("it says %q, and looks again at %s", second.Message, r.out.WakeAt)
	}
	r, late = unplaced("4 Insufficient cpu", "1 optimistic rejection")
	r.store(second)
	if third := r.stalled(ReasonUnschedulable, late); third != second {
		t.Errorf("it says %q after %q", third.Message, second.Message)
	}
}

// A message that names no Task that is late is made anew. Roles may have been removed since, and names be anything.
func TestSpoken(t *testing.T) {
	_, late := unplaced("a", "b")
	for said, want := range map[string]bool{
		"Task w-1 (Pod f-w-1): no node was found": true,
		"Task w-2 (Pod f-w-2): no node was found": false,
		"Task v-1 (Pod f-v-1): no node was found": false,
		"Task w-x (Pod f-w-x): no node was found": false,
		"Task w-99999999999 (Pod":                 false,
		"Task":                                    false,
		"":                                        false,
	} {
		if _, ok := spoken(said, late); ok != want {
			t.Errorf("%q: %v", said, ok)
		}
	}
}

// The texts of a large gang, each of which names its Pod, are not all compared.
func TestVoicesAreBounded(t *testing.T) {
	var texts []string
	for i := range 3 * maxExplanations {
		texts = append(texts, fmt.Sprintf("x%d is missing", i))
	}
	r, late := unplaced(texts...)
	if n := len(r.explanations(late)); n != maxExplanations {
		t.Errorf("%d texts were compared", n)
	}
}

func BenchmarkSpeaker(b *testing.B) {
	var texts []string
	for i := range 20_000 {
		texts = append(texts, fmt.Sprintf("0/4 nodes are available: 1 Insufficient cpu, 3 Insufficient memory, Pod default/f-w-%d was tried on node-7", i))
	}
	r, late := unplaced(texts...)
	for b.Loop() {
		r.mostExplained(late)
	}
}
