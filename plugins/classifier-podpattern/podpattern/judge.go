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
	// The number of the rule that has a code.
	numbers map[completion.Code]int
	// Goes before the names of the rules.
	where string
}

// compile makes rules of parameters. An error names the parameter.
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
		s.numbers[*spec.Code] = i
	}
	return s, nil
}

// judge returns how a Pod ended and the name of the rule that says so. The rules of its Framework, if there are any, come
// before those of the configuration.
//
// The controller does not know the rules of the Framework: without a verdict on what they match it would go by others. So
// the diagnostics of these are shortened to what a verdict may have. What other rules match, the controller says in full.
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

// matched goes by the text of which contract 4.5 promises that it tells the two apart. Code and phrase do not: a container
// may exit with the code of a rule that did not match.
func matched(s v1.CompletionStatus) bool {
	return strings.HasPrefix(s.Diagnostics, matchedPrefix)
}

// fitting shortens the messages in the diagnostics of a match until a verdict may have them. How long they may be is not
// known beforehand, as JSON writes some characters with six.
func fitting(diagnostics string) string {
	for most := podverdict.MaxDiagnostics; len(diagnostics) > podverdict.MaxDiagnostics; most /= 2 {
		if most == 0 {
			return matchedPrefix + "{}" // even without messages it is too much
		}
		diagnostics = completion.ShortenDiagnostics(diagnostics, most)
	}
	return diagnostics
}

// number returns which rule of the set has matched; none has if it was a predefined one, or none at all.
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
