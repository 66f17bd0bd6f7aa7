package gang

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

// CheckSchedulerName returns an error for the parameter schedulerName if it is no name of a scheduler. Without the key, the name is
// byDefault.
func CheckSchedulerName(name, byDefault string) error {
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return nil
	}
	return fmt.Errorf("schedulerName: must consist of lower case letters, digits, '-' and '.', but is %q; without the key it is %s", name, byDefault)
}
