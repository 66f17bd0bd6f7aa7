package podverdict

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// Command is the file name of classifier-podpattern, which comes with the controller.
const Command = "classifier-podpattern"

// parameters is how the parameters of classifier-podpattern look: like that part of the configuration.
type parameters struct {
	PodFailureSpec []completion.RuleSpec `json:"podFailureSpec,omitzero"`
}

// Parameters returns the parameters with which classifier-podpattern has the given rules, in the types of JSON. The
// controller passes its own podFailureSpec that way.
func Parameters(specs []completion.RuleSpec) (map[string]any, error) {
	encoded, err := json.Marshal(parameters{specs})
	if err != nil {
		return nil, fmt.Errorf("podFailureSpec: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return nil, fmt.Errorf("podFailureSpec: %w", err)
	}
	return tree, nil
}

// Specs returns the rules in such parameters, none if they are absent. They are not checked; completion.Compile does
// that. An error names the parameter.
func Specs(s *structpb.Struct) ([]completion.RuleSpec, error) {
	var p parameters
	err := plugin.Decode(s, &p)
	return p.PodFailureSpec, err
}
