package completion

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Shadow is a configured rule that never decides, for comparison with the rules that do.
type Shadow struct {
	code Code
	// The rules that decide up to its place, and the rule as the last.
	rules *Rules
}

// Shadows returns the rules in shadow, in the order of the configuration; none if r is nil. The caller must not change the list.
func (r *Rules) Shadows() []Shadow {
	if r == nil {
		return nil
	}
	return r.shadows
}

// Code returns the rule's code, which no other rule in shadow has.
func (s Shadow) Code() Code { return s.code }

// Classify returns how a Pod in phase Failed would have ended if the rule decided as the others do. It reports false if the rule does not
// match, or if a rule above it decides.
func (s Shadow) Classify(p Pod) (v1.CompletionStatus, bool) {
	last := len(s.rules.configured) - 1
	m, number, _ := s.rules.firstMatch(p)
	if number != last {
		return v1.CompletionStatus{}, false
	}
	return s.rules.configured[last].status(m), true
}

// placed is a rule in shadow with the number of rules that decide above it.
type placed struct {
	rule  rule
	above int
}

// among returns the rule in its place. Containers are ignored as if it were among the rules that decide.
func (s placed) among(rules []rule) Shadow {
	all := slices.Insert(slices.Clone(rules), s.above, s.rule)
	return Shadow{s.rule.code, &Rules{configured: all[:s.above+1], yielding: yieldingPatterns(all)}}
}
