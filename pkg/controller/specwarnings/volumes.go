package specwarnings

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// mounts is the part of a Pod template about volumes.
type mounts struct {
	Spec struct {
		Volumes []struct {
			Name string `json:"name"`
		} `json:"volumes"`
		InitContainers []mountingContainer `json:"initContainers"`
		Containers     []mountingContainer `json:"containers"`
	} `json:"spec"`
}

type mountingContainer struct {
	Name         string `json:"name"`
	VolumeMounts []struct {
		Name      string `json:"name"`
		MountPath string `json:"mountPath"`
	} `json:"volumeMounts"`
}

// volumeWarnings finds Pod templates that leave no room for a volume of the spec, so that no Pod of the role can be created, and volumes that
// no container has.
func volumeWarnings(spec *v1.FrameworkSpec) (out []Warning) {
	if len(spec.Volumes) == 0 {
		return nil
	}
	mounted := map[string]bool{}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		var template mounts
		if objects.ReadTemplate(role.Task.Pod, &template) != nil {
			continue
		}
		for _, v := range objects.VolumesOf(spec, role.Name) {
			if why := template.conflict(&v); why != "" {
				out = append(out, Warning{reason.VolumeConflict, role.Name, fmt.Sprintf("role %s: %s, so none of its Pods can be created; change one of them", role.Name, why)})
			}
			mounted[v.Name] = mounted[v.Name] || template.has(v.Containers)
		}
	}
	for _, v := range spec.Volumes {
		if len(v.Containers) > 0 && len(spec.TaskRoles) > 0 && !mounted[v.Name] {
			out = append(out, Warning{reason.VolumeConflict, "", fmt.Sprintf(
				"no Pod template has a container that spec.volumes[%s].containers names, so nothing has that volume; correct the names", v.Name)})
		}
	}
	return out
}

// conflict names the part of the template that conflicts with a volume; empty if there is none.
func (t *mounts) conflict(v *v1.VolumeSpec) string {
	for _, given := range t.Spec.Volumes {
		if given.Name == v.Name {
			return fmt.Sprintf("its Pod template has a volume %s, as has spec.volumes", v.Name)
		}
	}
	for _, c := range slices.Concat(t.Spec.InitContainers, t.Spec.Containers) {
		if len(v.Containers) > 0 && !slices.Contains(v.Containers, c.Name) {
			continue
		}
		for _, m := range c.VolumeMounts {
			if m.MountPath == v.MountPath && m.Name != v.Name {
				return fmt.Sprintf("container %s mounts volume %s at %s, the mountPath of spec.volumes[%s]", c.Name, m.Name, m.MountPath, v.Name)
			}
		}
	}
	return ""
}

// has reports whether a container has one of the names.
func (t *mounts) has(names []string) bool {
	return slices.ContainsFunc(slices.Concat(t.Spec.InitContainers, t.Spec.Containers), func(c mountingContainer) bool { return slices.Contains(names, c.Name) })
}
