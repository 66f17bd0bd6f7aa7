package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// podBuilders make the Pods of a Framework's roles, with the hints that they were made for laid over the templates.
type podBuilders struct {
	hints  *v1.SchedulerHints
	byRole map[string]*objects.PodBuilder
	costs  map[string]int // of a Pod of a role, in bytes, as far as they are known
	err    error          // why the stored hints make no sense
}

// newPodBuilders prepares all roles. Of roles with the same name the first counts.
func newPodBuilders(spec *v1.FrameworkSpec, hints *v1.SchedulerHints) *podBuilders {
	out := &podBuilders{hints: hints, byRole: make(map[string]*objects.PodBuilder, len(spec.TaskRoles)), costs: map[string]int{}}
	answer, err := consult.Answer(hints)
	if err != nil {
		out.err = err
		return out
	}
	patches := map[string]*pluginpb.PodPatch{}
	for _, p := range answer.GetPatches() {
		patches[p.GetTaskRole()] = p
	}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if out.byRole[role.Name] == nil {
			out.byRole[role.Name] = objects.NewPatchedPodBuilder(role.Name, role.Task.Pod, patches[role.Name])
		}
	}
	return out
}
