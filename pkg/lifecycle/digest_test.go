package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// storm is an attempt in which one Task completes per round. Only one question may be open at a time; its answer arrives `late`
// rounds after it was asked.
type storm struct {
	in      lifecycle.Input
	pace    time.Duration // between rounds
	late    int
	answer  func(digest string) *lifecycle.Decision
	open    string
	askedIn int
}

// newStorm returns a storm whose Tasks all complete within a second.
func newStorm(t *testing.T, tasks, minFailed, minSucceeded int32) *storm {
	t.Helper()
	spec := roles(tasks)
	spec.TaskRoles[0].FrameworkAttemptCompletionPolicy = v1.CompletionPolicySpec{MinFailedTaskCount: minFailed, MinSucceededTaskCount: minSucceeded}
	state, observed := running(t, spec)
	s := &storm{in: inputOf(state, spec)}
	s.in.Observed = observed
	return s
}

// exit ends a Task's Pod, and removes it once the end is stored.
func (s *storm) exit(index, code int32) {
	ref := lifecycle.TaskRef{Role: "r0", Index: index}
	if s.in.Saved.Task(ref).AttemptStatus.CompletionStatus != nil {
		s.in.Observed.Pods[ref] = lifecycle.PodView{Gone: types.UID(ref.String())}
		return
	}
	pod := s.in.Observed.Pods[ref].Pod
	pod.Phase = lifecycle.PodSucceeded
	if code != 0 {
		pod.Phase = lifecycle.PodFailed
		pod.Outcome = completion.Pod{Name: "p", Containers: []completion.Container{{Name: "main", Terminated: true, Code: code}}}
	}
}

// blow runs rounds until the attempt is decided, and returns the decision and the number of Tasks that had completed by then.
func (s *storm) blow(t *testing.T, codes []int32) (end string, completed int32) {
	t.Helper()
	for round := range 3*len(codes) + 3*s.late {
		for _, i := range []int{round, round - 1} {
			if i >= 0 && i < len(codes) {
				s.exit(int32(i), codes[i])
			}
		}
		s.in.Now = s.in.Now.Add(s.pace)
		if s.open != "" && round >= s.askedIn+s.late {
			s.in.Observed.Decision, s.open = s.answer(s.open), ""
		}
		out := lifecycle.Step(s.in)
		s.in.Saved = out.State
		if counts := out.State.Framework().Tasks; out.State.Framework().AttemptStatus.CompletionStatus != nil {
			return endOf(out.State), counts.Failed + counts.Succeeded
		}
		for _, a := range out.Actions {
			if q, ok := a.(lifecycle.DecideCompletion); ok && s.open == "" {
				s.open, s.askedIn = q.Digest, round
			}
		}
	}
	return "no end", 0
}

func repeated(code int32, n int) []int32 {
	codes := make([]int32, n)
	for i := range codes {
		codes[i] = code
	}
	return codes
}

// While Tasks keep completing, an attempt ends as the built-in rule would end it, as soon as the first question is answered: no
// more Tasks complete meanwhile than there are rounds for two answers. It makes no difference that, by the status, they complete
// within the same second.
func TestLateAnswersDecideAsTheBuiltInRule(t *testing.T) {
	tests := map[string]struct {
		minFailed, minSucceeded int32
		codes                   []int32
		needed                  int32 // Tasks that complete until the built-in rule decides
		want                    string
		pace                    time.Duration
	}{
		"first failure":          {1, -1, repeated(42, 500), 1, "code 42 by r0-0", 0},
		"tenth failure":          {10, -1, repeated(42, 500), 10, "code 42 by r0-9", 0},
		"first success":          {-1, 1, repeated(0, 500), 1, "code 0 by r0-0", 0},
		"success before failure": {1, 1, append([]int32{0}, repeated(42, 499)...), 1, "code 0 by r0-0", 0},
		"failure before success": {1, 1, append([]int32{42}, repeated(0, 499)...), 1, "code 42 by r0-0", 0},
		"all":                    {-1, -1, repeated(42, 20), 20, "code 0 by r0-19", time.Second},
	}
	for name, test := range tests {
		for _, late := range []int{1, 2, 7, 50} {
			t.Run(fmt.Sprintf("%s, %d rounds late", name, late), func(t *testing.T) {
				s := newStorm(t, int32(len(test.codes)), test.minFailed, test.minSucceeded)
				s.pace = test.pace
				if got, completed := s.blow(t, test.codes); got != test.want+", source <nil>" || completed != test.needed {
					t.Fatalf("built in: %s with %d completed", got, completed)
				}
				s = newStorm(t, int32(len(test.codes)), test.minFailed, test.minSucceeded)
				s.in.Asking.Completion, s.late, s.pace = true, late, test.pace
				s.answer = func(digest string) *lifecycle.Decision {
					return &lifecycle.Decision{Digest: digest, Kind: lifecycle.DecideBuiltIn}
				}
				got, completed := s.blow(t, test.codes)
				if most := test.needed + 2*int32(late) + 2; got != test.want+", source <nil>" || completed > most {
					t.Errorf("%s with %d completed; want %s with %d at most", got, completed, test.want, most)
				}
			})
		}
	}
}

// A plugin's answer to a question of the past counts if it ends the attempt. It counts only for the attempt and the spec
// it was about.
func TestAnswersToEarlierQuestions(t *testing.T) {
	in, earlier := completedOne(t)
	failing := in.Observed.Pods[lifecycle.TaskRef{Role: "r0", Index: 1}].Pod
	failing.Phase = lifecycle.PodSucceeded
	in.Framework.Spec.TaskRoles[0].TaskNumber = 2
	settled(&in)
	in.Observed.Pods[lifecycle.TaskRef{Role: "r0", Index: 1}] = lifecycle.PodView{Gone: "r0-1"}
	settled(&in)
	later := openQuestion(t, in)
	if later == earlier {
		t.Fatalf("both questions are %s", later)
	}
	source := v1.CompletionSource{Plugin: "judge"}
	tests := map[string]struct {
		decision lifecycle.Decision
		want     string
	}{
		"succeeded": {lifecycle.Decision{Kind: lifecycle.DecideSucceeded, Source: source}, "code 0, source &{judge  }"},
		"failed": {lifecycle.Decision{Kind: lifecycle.DecideFailed, Source: source, Trigger: &lifecycle.TaskRef{Role: "r0"}},
			"code 42 by r0-0, source &{judge  }"},
		"continue": {lifecycle.Decision{Kind: lifecycle.DecideContinue, Source: source}, "no end"},
		"built-in": {lifecycle.Decision{Kind: lifecycle.DecideBuiltIn}, "code 42 by r0-0, source <nil>"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in, decision := in, test.decision
			decision.Digest = earlier.Digest
			in.Observed.Decision = &decision
			out := lifecycle.Step(in)
			if got := endOf(out.State); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if test.want == "no end" && openQuestion(t, in) != later {
				t.Errorf("asks for %v", out.Actions)
			}
			in.Framework.Generation++
			if got := endOf(lifecycle.Step(in).State); got != "no end" {
				t.Errorf("after a change of the spec: %s", got)
			}
		})
	}
}

// Before the built-in rule judges the Tasks that have completed since the question, the plugin is asked about them.
func TestAbstentionIsAboutWhatWasAsked(t *testing.T) {
	s := newStorm(t, 500, 5, -1)
	s.in.Asking.Completion, s.late = true, 4
	kind := lifecycle.DecideBuiltIn // the first answer, about one Task; it arrives when the fifth has failed
	s.answer = func(digest string) *lifecycle.Decision {
		answer := &lifecycle.Decision{Digest: digest, Kind: kind}
		kind = lifecycle.DecideContinue
		return answer
	}
	if got, _ := s.blow(t, repeated(42, 50)); got != "no end" {
		t.Errorf("%s, although the plugin would have it continue", got)
	}
}

func openQuestion(t *testing.T, in lifecycle.Input) lifecycle.DecideCompletion {
	t.Helper()
	for _, a := range lifecycle.Step(in).Actions {
		if q, ok := a.(lifecycle.DecideCompletion); ok {
			return q
		}
	}
	t.Fatal("nobody is asked")
	return lifecycle.DecideCompletion{}
}
