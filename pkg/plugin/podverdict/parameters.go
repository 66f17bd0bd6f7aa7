package podverdict

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// parameters is how the parameters of classifier-podpattern look: like that part of the configuration. The keys in the
// rules are the names of the fields, which JSON compares without regard to case.
type parameters struct {
	PodFailureSpec []completion.RuleSpec `json:"podFailureSpec"`
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
	return asConfigured(tree).(map[string]any), nil
}

// Specs returns the rules in such parameters, none if they are absent. They are not checked; completion.Compile does
// that. An error names the parameter.
func Specs(s *structpb.Struct) ([]completion.RuleSpec, error) {
	var p parameters
	err := plugin.Decode(s, &p)
	return p.PodFailureSpec, err
}

// asConfigured gives keys the case that they have in the configuration, and leaves out what is not set.
func asConfigured(tree any) any {
	switch t := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for key, value := range t {
			if value != nil {
				out[strings.ToLower(key[:1])+key[1:]] = asConfigured(value)
			}
		}
		return out
	case []any:
		for i := range t {
			t[i] = asConfigured(t[i])
		}
	}
	return tree
}
