package specwarnings

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// startOrderWarnings finds roles that start after one that is not there, which they do not wait for then; our CRD does not let
// them in. And those that do not wait as nothing in their Pods does.
func startOrderWarnings(spec *v1.FrameworkSpec) []Warning {
	var out []Warning
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if waitsInItsPods(role) && !hasInitContainer(role) {
			out = append(out, Warning{startNotHeld, role.Name, fmt.Sprintf(
				"role %s: its pod template has no init container, so nothing holds its Pods and startAfter is not kept; add the barrier to the template",
				role.Name)})
		}
		for _, s := range role.StartAfter {
			if !slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == s.Role }) {
				out = append(out, Warning{startAfterUnknown, role.Name, fmt.Sprintf(
					"role %s: startAfter names role %s, which is not in taskRoles, so it is not waited for; correct the name, or take it out",
					role.Name, s.Role)})
			}
		}
	}
	return out
}

// waitsInItsPods reports whether a role has its Pods before it may start, so that these have to wait themselves.
func waitsInItsPods(role *v1.TaskRoleSpec) bool {
	return slices.ContainsFunc(role.StartAfter, func(s v1.StartAfterSpec) bool { return s.When != v1.StartSucceeded })
}

// hasInitContainer reports whether a template has one, or cannot be read. Which of them is a barrier, only its image knows.
func hasInitContainer(role *v1.TaskRoleSpec) bool {
	var template struct {
		Spec struct {
			InitContainers []struct{} `json:"initContainers"`
		} `json:"spec"`
	}
	err := objects.ReadTemplate(role.Task.Pod, &template)
	return err != nil || len(template.Spec.InitContainers) > 0
}
