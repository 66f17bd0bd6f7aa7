package podpattern

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// ruleSet is one podFailureSpec. The zero value has only the predefined rules.
type ruleSet struct {
	rules *completion.Rules
	// Number of the rule that decides, by its code.
	numbers map[completion.Code]int
	// Prefix of the names of the rules.
	where string
}

// compile compiles the rules in parameters. An error names the parameter.
func compile(parameters *structpb.Struct) (ruleSet, error) {
	specs, err := podverdict.Specs(parameters)
	if err != nil {
		return ruleSet{}, err
	}
	return ruleSetOf(specs)
}

func ruleSetOf(specs []completion.RuleSpec) (ruleSet, error) {
	rules, err := completion.Compile(specs)
	if err != nil {
		return ruleSet{}, err
	}
	s := ruleSet{rules: rules, numbers: map[completion.Code]int{}}
	for i, spec := range specs {
		if !spec.Shadow {
			s.numbers[*spec.Code] = i
		}
	}
	return s, nil
}

// judge returns how a Pod ended and the name of the rule that decided. The rules of its Framework, if there are any, come before the
// configuration's.
//
// The controller does not know the rules of the Framework: without a verdict on their matches it would apply others. So their diagnostics
// are shortened to a verdict's limit. Matches of other rules are reported by the controller in full.
func judge(pod completion.Pod, own, configured *ruleSet) (v1.CompletionStatus, string) {
	if own != nil {
		if status := own.rules.Classify(pod); matched(status) {
			if _, isOwn := own.number(status); isOwn {
				status.Diagnostics = fitting(status.Diagnostics)
			}
			return status, own.name(status)
		}
	}
	status := configured.rules.Classify(pod)
	return status, configured.name(status)
}

const matchedPrefix = "Pod failed: PodPattern matched: "

// matched checks the text that distinguishes a match according to contract 4.5. Code and phrase do not: a container may
// exit with the code of a rule that did not match.
func matched(s v1.CompletionStatus) bool {
	return strings.HasPrefix(s.Diagnostics, matchedPrefix)
}

// fitting shortens the messages in the diagnostics of a match to a verdict's limit. Their permitted length is not known
// beforehand, as JSON writes some characters with six.
func fitting(diagnostics string) string {
	for most := podverdict.MaxDiagnostics; len(diagnostics) > podverdict.MaxDiagnostics; most /= 2 {
		if most == 0 {
			return matchedPrefix + "{}" // too long even without messages
		}
		diagnostics = completion.ShortenDiagnostics(diagnostics, most)
	}
	return diagnostics
}

// number returns the number of the rule that matched; ok is false for a predefined rule, or none.
func (s *ruleSet) number(status v1.CompletionStatus) (int, bool) {
	number, found := s.numbers[status.Code]
	return number, found && matched(status)
}

func (s *ruleSet) name(status v1.CompletionStatus) string {
	number, isConfigured := s.number(status)
	switch {
	case isConfigured:
		return fmt.Sprintf("%spodFailureSpec[%d]", s.where, number)
	case matched(status):
		return "predefined"
	case status.Phrase == completion.PhraseContainerUnrecognizedFailed:
		return "exit code"
	default:
		return "no failed container"
	}
}
