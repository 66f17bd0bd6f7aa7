package kueue

import (
	"fmt"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// tasks are the Tasks of a role for which a Workload is needed.
type tasks struct {
	role        *pluginpb.RoleShape
	first, last int32
	count       int32 // without completed Tasks
}

// uncovered are the Tasks that no Workload is for yet: at first all.
func uncovered(earlier []*workload, roles []*pluginpb.RoleShape) []tasks {
	next := map[string]int32{}
	for _, w := range earlier {
		for _, s := range w.stretches() {
			next[s.Role] = max(next[s.Role], s.Last+1)
		}
	}
	var out []tasks
	for _, role := range roles {
		first := next[role.GetName()]
		count := min(role.GetTaskNumber()-first, gang.Left(role))
		if count > 0 {
			out = append(out, tasks{role: role, first: first, last: role.GetTaskNumber() - 1, count: count})
		}
	}
	return out
}

// stillWanted are the Workloads that have Tasks left, and the first one, which is the attempt's.
func stillWanted(earlier []*workload, roles []*pluginpb.RoleShape) []*workload {
	number := map[string]int32{}
	for _, role := range roles {
		number[role.GetName()] = role.GetTaskNumber()
	}
	var out []*workload
	for i, w := range earlier {
		hasTasks := slices.ContainsFunc(w.stretches(), func(s stretch) bool { return s.First < number[s.Role] })
		if i == 0 || hasTasks {
			out = append(out, w)
		}
	}
	return out
}

// nextName returns the name of the attempt's Workload, or of the next Workload for added Tasks. Because of its letter, it never equals a
// name of another Framework's Workload.
func nextName(f *pluginpb.Framework, earlier []*workload) string {
	if len(earlier) == 0 {
		return gang.Name(f)
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-r%d", gang.Name(f), n)
		if !slices.ContainsFunc(earlier, func(w *workload) bool { return w.Metadata.Name == name }) {
			return name
		}
	}
}
