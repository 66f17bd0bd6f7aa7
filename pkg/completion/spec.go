package completion

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// RuleSpec is one entry of podFailureSpec in the configuration file (contract 4.3), and in parameters of plugins, which are
// JSON.
type RuleSpec struct {
	// Required, not reserved, and unique among the rules that decide, and among the rules in shadow.
	Code *int32 `yaml:"code,omitempty" json:"code,omitzero"`
	// Short identifier of the code; may be empty.
	Phrase string   `yaml:"phrase,omitempty" json:"phrase"`
	Type   TypeSpec `yaml:"type,omitempty" json:"type,omitzero"`
	// How the user can avoid the failure; at most MaxRemedy bytes, and may be empty.
	Remedy string `yaml:"remedy,omitempty" json:"remedy,omitzero"`
	// In shadow, the rule never decides; see Rules.Shadows.
	Shadow bool `yaml:"shadow,omitempty" json:"shadow,omitzero"`
	// At least one, none of them nil. The rule matches if any of them does.
	PodPatterns []*PodPatternSpec `yaml:"podPatterns,omitempty" json:"podPatterns,omitzero"`
}

// MaxRemedy is the maximum length of a remedy in bytes, whoever states it.
const MaxRemedy = 1 << 10

// TypeSpec states the meaning of a configured code for retries.
type TypeSpec struct {
	// Failed, which is also the default.
	Name v1.CompletionTypeName `yaml:"name,omitempty" json:"name,omitzero"`
	// Nil and empty mean the same, and are stored as null and [].
	Attributes []v1.CompletionTypeAttribute `yaml:"attributes,omitempty" json:"attributes,omitzero"`
}

// PodPatternSpec matches a Pod if all fields that are not nil match. Regular expressions have RE2 syntax, are
// searched anywhere in the text, and an empty one matches with nothing found.
type PodPatternSpec struct {
	// On metadata.name, status.reason and status.message.
	NameRegex    *string `yaml:"nameRegex,omitempty" json:"nameRegex,omitzero"`
	ReasonRegex  *string `yaml:"reasonRegex,omitempty" json:"reasonRegex,omitzero"`
	MessageRegex *string `yaml:"messageRegex,omitempty" json:"messageRegex,omitzero"`
	// Each has to match at least one container; none of them nil.
	Containers []*ContainerPatternSpec `yaml:"containers,omitempty" json:"containers,omitzero"`
}

// ContainerPatternSpec matches a container, init or app, if all fields that are not nil match. All but the
// name look at the container's current state.terminated.
type ContainerPatternSpec struct {
	NameRegex    *string    `yaml:"nameRegex,omitempty" json:"nameRegex,omitzero"`
	ReasonRegex  *string    `yaml:"reasonRegex,omitempty" json:"reasonRegex,omitzero"`
	MessageRegex *string    `yaml:"messageRegex,omitempty" json:"messageRegex,omitzero"`
	SignalRange  *RangeSpec `yaml:"signalRange,omitempty" json:"signalRange,omitzero"`
	// Negative exit codes are unsigned numbers of Windows: they are also in a range with a min above 0 and without max.
	CodeRange *RangeSpec `yaml:"codeRange,omitempty" json:"codeRange,omitzero"`
	// A container that matches the fields above is left out, by this rule and all that follows it, if another container
	// failed by itself before, or in the same second. No container fails by itself that a pattern with this key matches.
	// Needs another field beside it.
	IgnoreAfterOtherFailure bool `yaml:"ignoreAfterOtherFailure,omitempty" json:"ignoreAfterOtherFailure,omitzero"`
}

// RangeSpec is an inclusive range. A nil bound is open; a range without bounds is as good as none.
type RangeSpec struct {
	Min *int32 `yaml:"min,omitempty" json:"min,omitzero"`
	Max *int32 `yaml:"max,omitempty" json:"max,omitzero"`
}
