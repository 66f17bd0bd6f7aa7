package podverdict

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// Command is the file name of classifier-podpattern, which is shipped with the controller.
const Command = "classifier-podpattern"

// parameters are the parameters of classifier-podpattern, in the form of that part of the configuration.
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

// Specs returns the rules in such parameters, none if they are absent. It does not check them; completion.Compile does.
// An error names the parameter.
func Specs(s *structpb.Struct) ([]completion.RuleSpec, error) {
	var p parameters
	err := plugin.Decode(s, &p)
	return p.PodFailureSpec, err
}
