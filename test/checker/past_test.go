package checker

import (
	"slices"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Unobserved changes are no violations, but their consequences are.
func TestPast(t *testing.T) {
	s := life()
	s.move(s.at(podGone), s.at(podGone)-1)                       // in the past
	s.insert(s.last(podGone), taskState(1, v1.AttemptCompleted)) // after it
	s.h.Begin = s.h.Observations[s.at(func(x Observation) bool { return inState(x, v1.AttemptCompleted) })].Version
	told := Check(s.h, Options{}).Violations
	if len(told) == 0 {
		t.Error("what happened since is not told")
	}
	for _, v := range told {
		if v.Version <= s.h.Begin {
			t.Error(v)
		}
	}
	s.h.Begin = 0
	if all := Check(s.h, Options{}).Violations; len(all) <= len(told) {
		t.Errorf("without a past, the same is told: %v", all)
	}
}

// How a history ends is not past, even if nothing happened since it began.
func TestEndIsNotPast(t *testing.T) {
	s := life()
	s.h.Observations = s.h.Observations[:s.at(flagged)+1]
	s.h.Begin = s.h.Observations[len(s.h.Observations)-1].Version
	requireViolation(t, s.h, FlagEnds, "still flagged")
}

// A watch may begin at any point of a life: rules know the existing objects, and report nothing.
func TestPastAnywhere(t *testing.T) {
	clean := life().h
	for i := range clean.Observations {
		for _, undisturbed := range []bool{false, true} {
			h := History{Observations: left(clean.Observations, i), Requests: clean.Requests, Begin: clean.Observations[i].Version}
			for _, v := range Check(h, Options{Settled: true, Undisturbed: undisturbed}).Violations {
				t.Errorf("begun at version %d: %v", h.Begin, v)
			}
		}
	}
}

// left returns the observations of a client that starts at one of them: the last versions of existing objects, and all later ones.
func left(all []Observation, at int) (out []Observation) {
	for i, x := range all {
		later := slices.ContainsFunc(all[i+1:max(i, at)+1], func(y Observation) bool { return y.object().GetUID() == x.object().GetUID() })
		if i > at || !later && !x.Gone {
			out = append(out, x)
		}
	}
	return out
}
