package hintobjects

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
)

// Fields are fields of a Pod's spec that the hints for an attempt request, and that the API server may not know.
type Fields struct {
	Client    rest.Interface
	Namespace string
	Names     []string               // none if there is nothing to check
	Build     func() ([]byte, error) // returns a Pod that has them
}

// says reports whether the API server would keep a value.
func says(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return value != nil && value != false && value != 0.0 && value != ""
}

// Check returns an *Error if the API server drops one of the fields from the Pod. It does so silently if their feature gate is
// off, and then each Pod of the gang would be placed by itself. A Pod that it refuses shows nothing, and neither does a field
// that this Pod does not have.
func (f Fields) Check(ctx context.Context) error {
	if len(f.Names) == 0 {
		return nil
	}
	body, err := f.Build()
	if err != nil {
		return nil
	}
	var asked struct{ Spec map[string]any }
	if json.Unmarshal(body, &asked) != nil {
		return nil
	}
	answer, err := apiserver.Send(ctx, f.Client.Post().Namespace(f.Namespace).Resource("pods").Param("dryRun", "All").
		SetHeader("Content-Type", runtime.ContentTypeJSON).SetHeader("Accept", runtime.ContentTypeJSON).Body(body))
	pod := struct{ Spec map[string]json.RawMessage }{}
	if err != nil || json.Unmarshal(answer, &pod) != nil {
		return nil
	}
	for _, field := range f.Names {
		if len(pod.Spec[field]) == 0 && says(asked.Spec[field]) {
			return &Error{fmt.Errorf("the API server drops spec.%s from Pods: it does not know the field, or its feature gate is off", field)}
		}
	}
	return nil
}
