package waiting

import (
	"fmt"
	"iter"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

var noon = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// pods are Tasks whose Pods stall.
type pods map[Task]Stall

func (p pods) Stalls(yield func(Task, Stall) bool) {
	for task, stall := range p {
		if !yield(task, stall) {
			return
		}
	}
}

func (p pods) Stall(task Task) Stall { return p[task] }

func (p pods) Status(task Task) *v1.TaskStatus {
	stall, exists := p[task]
	if !exists {
		return nil
	}
	return &v1.TaskStatus{State: v1.AttemptPreparing, AttemptStatus: v1.TaskAttemptStatus{PodUID: &stall.UID}}
}

func (pods) Limited(string) bool { return false }

func (pods) Completions() iter.Seq[time.Time] { return func(func(time.Time) bool) {} }

// unplaced returns a Framework with one Task per text. The text is its scheduler's message, each a second later than the one before.
func unplaced(texts ...string) (v View, late []Task) {
	stalls := pods{}
	for i, text := range texts {
		task := Task{"w", int32(i)}
		cause := Cause{Reason: reason.Unschedulable, Words: text, Since: noon.Add(time.Duration(i) * time.Second)}
		stalls[task] = cause.Stall()
		late = append(late, task)
	}
	return View{Framework: "f", Now: noon.Add(time.Hour), Tasks: stalls}, late
}

// next returns the fact that is waited for once the given one is stored.
func next(t *testing.T, stored Fact, v View) (f Fact, lookAt time.Time) {
	t.Helper()
	v.Stored = stored.Status(nil, metav1.NewTime(noon))
	return Of(v)
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
			v, late := unplaced(test.texts...)
			if got := (&look{View: v}).mostExplained(late); got.Index != test.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

// Later words are no news. A round that has reported only that Pods are about to follow asks to be woken again.
func TestReasonIsAwaited(t *testing.T) {
	v, _ := unplaced("1 optimistic rejection", "1 optimistic rejection")
	first, lookAt := Of(v)
	if want := v.Now.Add(StartPatience); !lookAt.Equal(want) {
		t.Errorf("another look at %s, want %s", lookAt, want)
	}
	v, _ = unplaced("2 optimistic rejection", "1 optimistic rejection")
	if again, lookAt := next(t, first, v); again.Sentence() != first.Sentence() || lookAt.IsZero() {
		t.Errorf("%q after %q, and another look at %s", again.Sentence(), first.Sentence(), lookAt)
	}
	v, _ = unplaced("1 optimistic rejection", "4 Insufficient cpu")
	second, lookAt := next(t, first, v)
	if want := "Task w-1 (Pod f-w-1) and 1 more: no node was found: 4 Insufficient cpu"; second.Sentence() != want || !lookAt.IsZero() {
		t.Errorf("%q, and another look at %s", second.Sentence(), lookAt)
	}
	v, _ = unplaced("4 Insufficient cpu", "1 optimistic rejection")
	if third, _ := next(t, second, v); third.Sentence() != second.Sentence() {
		t.Errorf("%q after %q", third.Sentence(), second.Sentence())
	}
}

// A stored fact about a Task that is not late, or with other arguments, is replaced. Roles may have been removed since.
func TestStoredFactIsOutdated(t *testing.T) {
	v, _ := unplaced("a", "b")
	now, _ := Of(v)
	for name, change := range map[string]func(*v1.WaitingStatus){
		"kept":           func(w *v1.WaitingStatus) { w.Index = new(int32); w.Pod = "f-w-0" },
		"another Task":   func(w *v1.WaitingStatus) { two := int32(2); w.Index, w.Pod = &two, "f-w-2" },
		"another role":   func(w *v1.WaitingStatus) { w.Role = "v" },
		"no Task":        func(w *v1.WaitingStatus) { w.Index = nil },
		"another node":   func(w *v1.WaitingStatus) { w.Node = "n" },
		"another reason": func(w *v1.WaitingStatus) { w.Reason = "ImageNotPulled" },
		"more Tasks":     func(w *v1.WaitingStatus) { w.MoreTasks = 7 },
	} {
		v.Stored = now.Status(nil, metav1.NewTime(noon))
		v.Stored.Message = "stored words"
		change(v.Stored)
		f, _ := Of(v)
		if kept := f.Words == "stored words"; kept != (name == "kept") {
			t.Errorf("%s: %q", name, f.Sentence())
		}
	}
}

// The messages of a large gang, each naming its own Pod, are not all compared.
func TestVoicesAreBounded(t *testing.T) {
	var texts []string
	for i := range 3 * maxExplanations {
		texts = append(texts, fmt.Sprintf("x%d is missing", i))
	}
	v, late := unplaced(texts...)
	if n := len((&look{View: v}).explanations(late)); n != maxExplanations {
		t.Errorf("%d texts were compared", n)
	}
}

func BenchmarkSpeaker(b *testing.B) {
	var texts []string
	for i := range 20_000 {
		texts = append(texts, fmt.Sprintf("0/4 nodes are available: 1 Insufficient cpu, 3 Insufficient memory, Pod default/f-w-%d was tried on node-7", i))
	}
	v, late := unplaced(texts...)
	for b.Loop() {
		(&look{View: v}).mostExplained(late)
	}
}
