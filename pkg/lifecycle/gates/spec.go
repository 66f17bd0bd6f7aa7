package gates

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// AwaitedReady returns the roles whose readiness others await. Readiness is recorded only for their Tasks.
func AwaitedReady(spec *v1.FrameworkSpec) map[string]bool {
	awaited := map[string]bool{}
	for i := range spec.TaskRoles {
		for _, s := range spec.TaskRoles[i].StartAfter {
			if s.Needs() == v1.StartReady {
				awaited[s.Role] = true
			}
		}
	}
	return awaited
}

// Circle returns the roles that start after each other in a circle, beginning with from, or with a role for which it waits; nil
// if there is none. None of them ever starts. The last starts after the first.
func Circle(spec *v1.FrameworkSpec, from string) []string {
	roles := map[string]*v1.TaskRoleSpec{}
	for i := range spec.TaskRoles {
		if role := &spec.TaskRoles[i]; roles[role.Name] == nil {
			roles[role.Name] = role
		}
	}
	done := map[string]bool{}
	var path []string
	var visit func(name string) []string
	visit = func(name string) []string {
		if i := slices.Index(path, name); i >= 0 {
			return slices.Clone(path[i:])
		}
		if done[name] || roles[name] == nil {
			return nil
		}
		path = append(path, name)
		for _, s := range roles[name].StartAfter {
			if circle := visit(s.Role); circle != nil {
				return circle
			}
		}
		path, done[name] = path[:len(path)-1], true
		return nil
	}
	return visit(from)
}
