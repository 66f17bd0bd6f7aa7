package completion

import (
	"regexp"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Rules decide what a failed Pod died of. Nil and the zero value hold only the predefined rules, which always
// come first. Rules do not change and may be used by several goroutines.
type Rules struct {
	configured []rule
	// All configured rules.
	yielding []containerPattern
}

// rule gives a code to every failed Pod that one of its patterns matches.
type rule struct {
	code     Code
	phrase   string
	kind     v1.CompletionType
	patterns []podPattern
}

var predefinedRules = []rule{
	exitCodeRule(CodeContainerTransientFailed),
	exitCodeRule(CodeContainerTransientConflictFailed),
	exitCodeRule(CodeContainerPermanentFailed),
}

// Classify returns how a Pod in phase Failed ended (contract 4.4): the first rule that matches, otherwise the
// code of the container that failed last (OfExit), otherwise the Pod's disruption, otherwise
// CodePodFailedWithoutFailedContainer.
func (r *Rules) Classify(p Pod) v1.CompletionStatus {
	suspects := p.suspects()
	own := r.firstOwnFailure(suspects)
	for _, rule := range r.all() {
		suspects = rule.withoutYielding(suspects, own)
		if m, ok := rule.match(p, suspects); ok {
			return rule.status(m)
		}
	}
	return unmatched(p, suspects)
}

func (r *Rules) all() []rule {
	if r == nil || len(r.configured) == 0 {
		return predefinedRules
	}
	return r.configured
}

func (r rule) match(p Pod, suspects []Container) (podMatch, bool) {
	for _, pattern := range r.patterns {
		if m, ok := pattern.match(p, suspects); ok {
			return m, true
		}
	}
	return podMatch{}, false
}

func (r rule) status(m podMatch) v1.CompletionStatus {
	return v1.CompletionStatus{
		Code: r.code, Phrase: r.phrase, Type: *r.kind.DeepCopy(), Diagnostics: matchedPrefix + compactJSON(m),
	}
}

func unmatched(p Pod, suspects []Container) v1.CompletionStatus {
	last, failed := lastFailed(suspects)
	if !failed && p.Disruption != nil {
		return p.Disruption.Status()
	}
	s := Predefined(CodePodFailedWithoutFailedContainer, unmatchedPrefix+compactJSON(p.Status()))
	if failed {
		s.Code, s.Phrase = OfExit(last.Code), PhraseContainerUnrecognizedFailed
	}
	return s
}

// exitCodeRule returns the rule of a predefined exit code. It names the container's name and message too, as
// that brings them into the diagnostics.
func exitCodeRule(code Code) rule {
	e, _ := lookup(code)
	everything := regexp.MustCompile(`(?ms).*`)
	c := containerPattern{name: everything, message: everything, code: &bounds{min: &code, max: &code}}
	return rule{code, e.Phrase, e.Type(), []podPattern{{containers: []containerPattern{c}}}}
}
