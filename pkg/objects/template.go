package objects

import (
	"k8s.io/apimachinery/pkg/util/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ReadTemplate reads those fields of a template that are in out. To decode it whole could take hundreds of times its
// length: there are large things in a Pod of which three bytes make one. Of an empty template nothing is read.
func ReadTemplate(template v1.PodTemplate, out any) error {
	if len(template) == 0 {
		return nil
	}
	return json.Unmarshal(template, out)
}
