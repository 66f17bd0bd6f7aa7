package completion

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Warnings returns likely mistakes in a valid podFailureSpec, one sentence each, naming its key. They are no errors because
// configuration files of the original may contain them and have to be accepted.
func Warnings(specs []RuleSpec) []string {
	var warnings []string
	for i, s := range specs {
		for _, a := range s.Type.Attributes {
			if !slices.Contains(knownAttributes, a) {
				warnings = append(warnings, fmt.Sprintf("%s.type.attributes: %q means nothing to retry policies, only %s do",
					ruleKey(i), a, "Transient, Permanent and Conflict"))
			}
		}
		for j, p := range s.PodPatterns {
			warnings = append(warnings, warningsOfPattern(fmt.Sprintf("%s.podPatterns[%d]", ruleKey(i), j), p)...)
		}
	}
	return warnings
}

func warningsOfPattern(key string, p *PodPatternSpec) []string {
	if p == nil {
		return nil
	}
	var warnings []string
	for i, c := range p.Containers {
		if c == nil {
			continue
		}
		key := fmt.Sprintf("%s.containers[%d]", key, i)
		warnings = append(warnings, warningsOfRange(key+".signalRange", c.SignalRange)...)
		warnings = append(warnings, warningsOfRange(key+".codeRange", c.CodeRange)...)
	}
	return warnings
}

func warningsOfRange(key string, r *RangeSpec) []string {
	if r == nil || r.Min == nil || r.Max == nil || *r.Min <= *r.Max {
		return nil
	}
	return []string{fmt.Sprintf("%s: min %d is above max %d, so it never matches", key, *r.Min, *r.Max)}
}

var knownAttributes = []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributePermanent, v1.AttributeConflict}
