package objects

import (
	"k8s.io/apimachinery/pkg/util/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ReadTemplate reads the fields of a template that out has. Decoding it completely could take hundreds of times its
// length: three bytes suffice for some large values of a Pod. Nothing is read from an empty template.
func ReadTemplate(template v1.PodTemplate, out any) error {
	if len(template) == 0 {
		return nil
	}
	return json.Unmarshal(template, out)
}
