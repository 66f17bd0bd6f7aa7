package completion

import (
	"regexp"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Rules decide on the cause of a Pod's failure. Nil and the zero value hold only the predefined rules, which always come first.
// Rules do not change and may be used by several goroutines.
type Rules struct {
	configured []rule
	// All configured rules.
	yielding []containerPattern
	shadows  []Shadow
}

// rule gives a code to every failed Pod that one of its patterns matches.
type rule struct {
	code     Code
	phrase   string
	kind     v1.CompletionType
	remedy   string
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
	m, number, suspects := r.firstMatch(p)
	if number < 0 {
		return unmatched(p, suspects)
	}
	return r.all()[number].status(m)
}

// firstMatch returns the match of the first rule that matches, and the rule's number; negative if no rule matches. The suspects are the
// containers that are not left out then.
func (r *Rules) firstMatch(p Pod) (m podMatch, number int, suspects []Container) {
	suspects = p.suspects()
	own := r.firstOwnFailure(suspects)
	for i, rule := range r.all() {
		suspects = rule.withoutYielding(suspects, own)
		if m, ok := rule.match(p, suspects); ok {
			return m, i, suspects
		}
	}
	return podMatch{}, -1, suspects
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
		Code: r.code, Phrase: r.phrase, Type: *r.kind.DeepCopy(), Diagnostics: matchedPrefix + compactJSON(m), Remedy: r.remedy,
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
	return rule{code: code, phrase: e.Phrase, kind: e.Type(), patterns: []podPattern{{containers: []containerPattern{c}}}}
}
