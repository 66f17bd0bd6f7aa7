package workload

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// settings are the parameters.
type settings struct {
	// Form is the version of scheduling.k8s.io that the cluster has. Required.
	Form string `json:"form"`
	// IgnoreQueue lets Frameworks name a queue, which then means nothing.
	IgnoreQueue bool `json:"ignoreQueue"`
}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if _, known := forms[out.Form]; !known {
		return settings{}, fmt.Errorf("form: has to be v1alpha1 (Kubernetes 1.35), v1alpha2 (1.36) or v1beta1 (1.37), but is %q; "+
			"kubectl api-resources --api-group=scheduling.k8s.io shows which of them the cluster serves", out.Form)
	}
	return out, nil
}
