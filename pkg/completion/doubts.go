package completion

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Doubts returns what looks like a mistake in a valid podFailureSpec, one sentence each, naming its key. They
// are no errors because configuration files of the original may hold them and have to be taken as they are.
func Doubts(specs []RuleSpec) []string {
	var doubts []string
	for i, s := range specs {
		for _, a := range s.Type.Attributes {
			if !slices.Contains(knownAttributes, a) {
				doubts = append(doubts, fmt.Sprintf("%s.type.attributes: %q means nothing to retry policies, only %s do",
					ruleKey(i), a, "Transient, Permanent and Conflict"))
			}
		}
	}
	return doubts
}

var knownAttributes = []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributePermanent, v1.AttributeConflict}
