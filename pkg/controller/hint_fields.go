package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// hintFields are fields of a Pod's spec that the hints for an attempt want, and that the API server may know nothing of.
type hintFields struct {
	client    rest.Interface
	namespace string
	fields    []string               // none if there is nothing to be asked
	build     func() ([]byte, error) // a Pod that has them
}

// hintFieldsOf looks for a Task whose Pod has such fields. What an error would say, the creation of the Pod says.
func hintFieldsOf(r *record, hints *v1.SchedulerHints, client rest.Interface) hintFields {
	out := hintFields{client: client, namespace: r.key.Namespace}
	layers, err := consult.Patches(hints)
	if err != nil {
		return out
	}
	for _, p := range slices.Concat(layers...) {
		fields := map[string]json.RawMessage{}
		if json.Unmarshal(p.GetSpecJson(), &fields) != nil || len(fields) == 0 {
			continue
		}
		build, err := podToBuild(r, lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: p.GetTaskRole(), Index: firstOf(p)}})
		if err != nil {
			continue
		}
		out.fields, out.build = slices.Sorted(maps.Keys(fields)), build
		return out
	}
	return out
}

func firstOf(p *pluginpb.PodPatch) int32 {
	if ranges := p.GetIndices(); len(ranges) > 0 {
		return ranges[0].GetFirst()
	}
	return 0
}

// says reports whether a value is one that the API server would not leave out anyway.
func says(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return value != nil && value != false && value != 0.0 && value != ""
}

// check returns an *objectsError if the API server leaves one of the fields out of the Pod. It does so without a word if their
// feature gate is off, and then each Pod of the gang would be placed by itself. A Pod that it refuses shows nothing, nor does a
// field that this Pod does not have.
func (f hintFields) check(ctx context.Context) error {
	if len(f.fields) == 0 {
		return nil
	}
	body, err := f.build()
	if err != nil {
		return nil
	}
	var asked struct{ Spec map[string]any }
	if json.Unmarshal(body, &asked) != nil {
		return nil
	}
	answer, err := apiserver.Send(ctx, f.client.Post().Namespace(f.namespace).Resource("pods").Param("dryRun", "All").
		SetHeader("Content-Type", runtime.ContentTypeJSON).SetHeader("Accept", runtime.ContentTypeJSON).Body(body))
	pod := struct{ Spec map[string]json.RawMessage }{}
	if err != nil || json.Unmarshal(answer, &pod) != nil {
		return nil
	}
	for _, field := range f.fields {
		if len(pod.Spec[field]) == 0 && says(asked.Spec[field]) {
			return &objectsError{fmt.Errorf("the API server leaves spec.%s out of Pods: it does not know the field, or its feature gate is off", field)}
		}
	}
	return nil
}
