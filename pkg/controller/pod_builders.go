package controller

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// podBuilders make the Pods of a Framework's roles, with the hints that they were made for laid over the templates, away from
// the nodes that they avoid.
type podBuilders struct {
	hints *v1.SchedulerHints
	avoid []v1.AvoidedNode
	roles map[string]*roleBuilders
	err   error // why the stored hints make no sense
}

// roleBuilders make the Pods of a role: one for all of them, unless patches are for some Tasks only.
type roleBuilders struct {
	name     string
	template v1.PodTemplate
	with     objects.Additions
	layers   [][]*pluginpb.PodPatch // of each, the first patch that fits a Task is laid over its Pod
	made     map[string]*roleBuilder
}

type roleBuilder struct {
	*objects.PodBuilder
	cost int // of a Pod, in bytes; 0 if it is not known yet
}

// newPodBuilders prepares all roles. Of roles with the same name the first counts.
func newPodBuilders(spec *v1.FrameworkSpec, hints *v1.SchedulerHints, avoid []v1.AvoidedNode, byHostname bool) *podBuilders {
	out := &podBuilders{hints: hints, avoid: avoid, roles: make(map[string]*roleBuilders, len(spec.TaskRoles))}
	layers, err := consult.Patches(hints)
	if err != nil {
		out.err = err
		return out
	}
	with := objects.Additions{Network: objects.NetworkOf(spec)}
	if spec.SSH != nil {
		with.KeysAt = spec.SSH.MountPath
	}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if out.roles[role.Name] == nil {
			with.Avoided, with.CompletionContainers = objects.NodesAvoidedBy(role.Name, avoid), role.Task.CompletionContainers
			with.Avoided.ByHostname = byHostname
			out.roles[role.Name] = &roleBuilders{role.Name, role.Task.Pod, with, patchesFor(role.Name, layers), map[string]*roleBuilder{}}
		}
	}
	return out
}

func patchesFor(role string, layers [][]*pluginpb.PodPatch) [][]*pluginpb.PodPatch {
	out := make([][]*pluginpb.PodPatch, len(layers))
	for i, layer := range layers {
		for _, p := range layer {
			if p.GetTaskRole() == role {
				out[i] = append(out[i], p)
			}
		}
	}
	return out
}

// of returns what makes a Task's Pod; nil if the spec has no such role.
func (b *podBuilders) of(ref lifecycle.TaskRef) *roleBuilder {
	role := b.roles[ref.Role]
	if role == nil {
		return nil
	}
	var patches []*pluginpb.PodPatch
	var chosen strings.Builder
	for _, layer := range role.layers {
		i := firstFor(ref.Index, layer)
		fmt.Fprintf(&chosen, "%d,", i)
		if i >= 0 {
			patches = append(patches, layer[i])
		}
	}
	if role.made[chosen.String()] == nil {
		role.made[chosen.String()] = &roleBuilder{PodBuilder: objects.NewPodBuilderWith(role.name, role.template, role.with, patches...)}
	}
	return role.made[chosen.String()]
}

// firstFor returns the first of the patches that is for a Task; -1 if none is.
func firstFor(index int32, patches []*pluginpb.PodPatch) int {
	for i, p := range patches {
		if len(p.GetIndices()) == 0 {
			return i
		}
		for _, r := range p.GetIndices() {
			if r.GetFirst() <= index && index <= r.GetLast() {
				return i
			}
		}
	}
	return -1
}
