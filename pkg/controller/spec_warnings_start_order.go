package controller

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// startOrderWarnings finds roles that start after one that is not there, which they do not wait for then. Our CRD does not let
// them in.
func startOrderWarnings(spec *v1.FrameworkSpec) []specWarning {
	var out []specWarning
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		for _, s := range role.StartAfter {
			if !slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == s.Role }) {
				out = append(out, specWarning{startAfterUnknown, role.Name, fmt.Sprintf(
					"role %s: startAfter names role %s, which is not in taskRoles, so it is not waited for; correct the name, or take it out",
					role.Name, s.Role)})
			}
		}
	}
	return out
}
