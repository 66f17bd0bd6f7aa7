package specwarnings

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// startOrderWarnings finds roles that start after a missing role, for which they do not wait (our CRD does not admit them),
// and roles that do not wait because nothing in their Pods does.
func startOrderWarnings(spec *v1.FrameworkSpec) []Warning {
	var out []Warning
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if waitsInItsPods(role) && !hasInitContainer(role) {
			out = append(out, Warning{reason.StartNotHeld, role.Name, fmt.Sprintf(
				"role %s: its Pod template has no init container, so nothing holds its Pods and startAfter has no effect; add the barrier to the template",
				role.Name)})
		}
		for _, s := range role.StartAfter {
			if s.Framework == "" && !slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == s.Role }) {
				out = append(out, Warning{reason.StartAfterUnknown, role.Name, fmt.Sprintf(
					"role %s: startAfter names role %s, which is not in taskRoles, so it has no effect; correct the name, or remove it",
					role.Name, s.Role)})
			}
		}
	}
	return out
}

// waitsInItsPods reports whether a role's Pods are created before it may start, so that they have to wait themselves.
func waitsInItsPods(role *v1.TaskRoleSpec) bool {
	return slices.ContainsFunc(role.StartAfter, func(s v1.StartAfterSpec) bool { return !s.ComesLater() })
}

// hasInitContainer reports whether a template has one, or cannot be decoded. Whether it is a barrier depends on its image.
func hasInitContainer(role *v1.TaskRoleSpec) bool {
	var template struct {
		Spec struct {
			InitContainers []struct{} `json:"initContainers"`
		} `json:"spec"`
	}
	err := objects.ReadTemplate(role.Task.Pod, &template)
	return err != nil || len(template.Spec.InitContainers) > 0
}
