package specwarnings

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// parallelismWarnings finds barriers in the Pods of roles whose Tasks do not all run at once: the addresses of all of them never exist at
// the same time.
func parallelismWarnings(spec *v1.FrameworkSpec) []Warning {
	var out []Warning
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if most := role.AtOnce(); most < role.TaskNumber && hasBarrier(role) {
			out = append(out, Warning{reason.BarrierInTurns, role.Name, fmt.Sprintf(
				"role %s: by parallelism, only %d of %d Tasks run at once, so its barrier waits for %d addresses and lists only these; remove the barrier, or parallelism if the Tasks have to meet",
				role.Name, most, role.TaskNumber, most)})
		}
	}
	return out
}

// hasBarrier reports whether an init container of the template is a barrier, by the name of its image.
func hasBarrier(role *v1.TaskRoleSpec) bool {
	var template struct {
		Spec struct {
			InitContainers []struct {
				Image string `json:"image"`
			} `json:"initContainers"`
		} `json:"spec"`
	}
	if objects.ReadTemplate(role.Task.Pod, &template) != nil {
		return false
	}
	for _, c := range template.Spec.InitContainers {
		if strings.Contains(c.Image, "frameworkbarrier") {
			return true
		}
	}
	return false
}
