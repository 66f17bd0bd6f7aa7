package completion

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// RuleSpec is one entry of podFailureSpec in the configuration file (contract 4.3).
type RuleSpec struct {
	// Required, unique in the list, not reserved.
	Code *int32 `yaml:"code,omitempty"`
	// Short identifier of the code; may be empty.
	Phrase string   `yaml:"phrase,omitempty"`
	Type   TypeSpec `yaml:"type,omitempty"`
	// At least one, none of them nil. The rule matches if any of them does.
	PodPatterns []*PodPatternSpec `yaml:"podPatterns,omitempty"`
}

// TypeSpec says what a configured code means for retries.
type TypeSpec struct {
	// Failed, which is also the default.
	Name v1.CompletionTypeName `yaml:"name,omitempty"`
	// Nil and empty mean the same, and are stored as null and [].
	Attributes []v1.CompletionTypeAttribute `yaml:"attributes,omitempty"`
}

// PodPatternSpec matches a Pod if all fields that are not nil match. Regular expressions have RE2 syntax, are
// searched anywhere in the text, and an empty one matches with nothing found.
type PodPatternSpec struct {
	// On metadata.name, status.reason and status.message.
	NameRegex    *string `yaml:"nameRegex,omitempty"`
	ReasonRegex  *string `yaml:"reasonRegex,omitempty"`
	MessageRegex *string `yaml:"messageRegex,omitempty"`
	// Each has to match at least one container; none of them nil.
	Containers []*ContainerPatternSpec `yaml:"containers,omitempty"`
}

// ContainerPatternSpec matches a container, init or app, if all fields that are not nil match. All but the
// name look at the container's current state.terminated.
type ContainerPatternSpec struct {
	NameRegex    *string    `yaml:"nameRegex,omitempty"`
	ReasonRegex  *string    `yaml:"reasonRegex,omitempty"`
	MessageRegex *string    `yaml:"messageRegex,omitempty"`
	SignalRange  *RangeSpec `yaml:"signalRange,omitempty"`
	CodeRange    *RangeSpec `yaml:"codeRange,omitempty"`
}

// RangeSpec is an inclusive range. A nil bound is open; a range without bounds is as good as none.
type RangeSpec struct {
	Min *int32 `yaml:"min,omitempty"`
	Max *int32 `yaml:"max,omitempty"`
}
