package workload

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// settings are the parameters.
type settings struct {
	// Form is the version of scheduling.k8s.io to go by; empty for the newest that the API server serves.
	Form string `json:"form"`
	// IgnoreQueue lets Frameworks name a queue, which then means nothing.
	IgnoreQueue bool `json:"ignoreQueue"`
}

// frameworkParameters are the parameters that Frameworks may set. They concern their own Pods alone.
var frameworkParameters = []string{"form", "ignoreQueue"}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if _, known := forms[out.Form]; !known && out.Form != "" {
		return settings{}, fmt.Errorf("form: has to be %s, but is %q; leave it out for the newest that the cluster serves", formsInWords, out.Form)
	}
	return out, nil
}

const formsInWords = "v1alpha1 (Kubernetes 1.35), v1alpha2 (1.36) or v1beta1 (1.37)"

// chooseForm returns the form for an attempt that begins.
func (s settings) chooseForm(served []string) (form, error) {
	if s.Form != "" {
		return forms[s.Form], nil
	}
	for _, version := range []string{"v1beta1", "v1alpha2", "v1alpha1"} {
		if slices.Contains(served, apiGroup+"/"+version) {
			return forms[version], nil
		}
	}
	if len(served) == 0 {
		return form{}, fmt.Errorf("which APIs the cluster serves is not known: let the parameter form be %s", formsInWords)
	}
	return form{}, fmt.Errorf("the cluster does not serve %s in a version with Workloads, %s: have its API server do so, "+
		"with its feature gate and --runtime-config, or choose another scheduler's plugin", apiGroup, formsInWords)
}
