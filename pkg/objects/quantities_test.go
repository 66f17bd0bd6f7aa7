package objects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// quantityPlaces are templates with a quantity in each place that a Pod has for one, and the path to it.
var quantityPlaces = map[string]string{
	`{"containers":[{"resources":{"limits":{"cpu":%s}}}]}`:                                           "containers[0].resources.limits.cpu",
	`{"containers":[{},{"resources":{"requests":{"example.com/x":%s}}}]}`:                            "containers[1].resources.requests.example.com/x",
	`{"initContainers":[{"resources":{"limits":{"cpu":%s}}}]}`:                                       "initContainers[0].resources.limits.cpu",
	`{"ephemeralContainers":[{"resources":{"limits":{"cpu":%s}}}]}`:                                  "ephemeralContainers[0].resources.limits.cpu",
	`{"containers":[{"env":[{"valueFrom":{"resourceFieldRef":{"divisor":%s}}}]}]}`:                   "containers[0].env[0].valueFrom.resourceFieldRef.divisor",
	`{"resources":{"requests":{"memory":%s}}}`:                                                       "resources.requests.memory",
	`{"overhead":{"cpu":%s}}`:                                                                        "overhead.cpu",
	`{"volumes":[{"emptyDir":{"sizeLimit":%s}}]}`:                                                    "volumes[0].emptyDir.sizeLimit",
	`{"volumes":[{"ephemeral":{"volumeClaimTemplate":{"spec":{"resources":{"limits":{"a":%s}}}}}}]}`: "volumes[0].ephemeral.volumeClaimTemplate.spec.resources.limits.a",
	`{"volumes":[{"downwardAPI":{"items":[{"resourceFieldRef":{"divisor":%s}}]}}]}`:                  "volumes[0].downwardAPI.items[0].resourceFieldRef.divisor",
}

// Quantities that the API server would parse for hours are refused, wherever they are; it judges all others itself.
func TestLargeExponents(t *testing.T) {
	task := demoTask
	task.RoleName = "e2000000000"
	for spec, path := range quantityPlaces {
		for amount, says := range map[string]string{
			`"1e-2000000000"`:                     "exponent of -2000000000; it must be between -30 and 30",
			`1e2000000000`:                        "exponent of 2000000000",
			`"1{{FC_TASKROLE_NAME}}"`:             "exponent of 2000000000",
			`"` + strings.Repeat("1", 1000) + `"`: "a quantity of 1000 characters; it must be at most 64",
			`"1e-30"`:                             "", `1`: "", `"{{FC_TASK_INDEX}}"`: "", `null`: "", `{}`: "", `[1]`: "", `"no quantity"`: "",
		} {
			_, err := objects.NewPodBuilder("w", fmt.Appendf(nil, `{"spec":`+spec+`}`, amount)).Build(task)
			if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "spec.taskRoles[w].task.pod.spec."+path+": ")) {
				t.Errorf("%s %s: got %v", spec, amount, err)
			}
		}
	}
}

// Text that only looks like a quantity is left alone.
func TestWhatIsNoQuantity(t *testing.T) {
	for _, template := range []string{
		`{"metadata":{"labels":{"a":"1e-2000000000"}}}`, `{"spec":{"containers":[{"name":"1e-2000000000","env":[{"name":"A","value":"1e-2000000000"}]}]}}`,
		`{"spec":{"nodeSelector":{"cpu":"1e-2000000000"},"new":{"limits":{"cpu":"1e-2000000000"}}}}`,
	} {
		if _, err := objects.NewPodBuilder("w", []byte(template)).Build(demoTask); err != nil {
			t.Error(err)
		}
	}
}
