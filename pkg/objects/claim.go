package objects

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Claim returns a PersistentVolumeClaim of that name as JSON, ready to be created. Its spec is taken from the volume unchanged: the API
// server knows all fields, and checks them. With VolumeDelete it belongs to the Framework; with VolumeRetain nobody owns it, and its label
// names the Framework. It fails if the spec is no JSON.
func Claim(f Owner, name string, v *v1.VolumeSpec) ([]byte, error) {
	meta := f.companion(name)
	if v.Retained() == v1.VolumeRetain {
		meta.OwnerReferences = nil
	}
	spec := v.Claim
	if len(spec) == 0 {
		spec = json.RawMessage("{}")
	}
	out, err := json.Marshal(struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metav1.ObjectMeta `json:"metadata"`
		Spec       json.RawMessage   `json:"spec"`
	}{"v1", "PersistentVolumeClaim", meta, spec})
	if err != nil {
		return nil, fmt.Errorf("spec.volumes[%s].claim: %w", v.Name, err)
	}
	return out, nil
}

// VolumesOf returns the volumes that the Pods of a role have. If several have the same name, the first counts.
func VolumesOf(spec *v1.FrameworkSpec, role string) (out []v1.VolumeSpec) {
	for i, v := range spec.Volumes {
		first := slices.IndexFunc(spec.Volumes, func(other v1.VolumeSpec) bool { return other.Name == v.Name })
		if first == i && v.For(role) {
			out = append(out, v)
		}
	}
	return out
}

// mountVolume gives containers of a Pod's spec a volume. It fails if the template has another volume of that name, or mounts another one
// there. A container that mounts the volume itself, for example with a subPath, stays as it is.
func mountVolume(spec object, v *v1.VolumeSpec) error {
	volumes, err := spec.list("volumes")
	if err != nil {
		return err
	}
	if slices.ContainsFunc(volumes, func(given any) bool { return field(given, "name") == v.Name }) {
		return fmt.Errorf("%s.volumes: has a volume named %s, which is also in spec.volumes; rename one of them", spec.path, v.Name)
	}
	spec.fields["volumes"] = append(volumes, map[string]any{
		"name":                  v.Name,
		"persistentVolumeClaim": map[string]any{"claimName": claimPattern(v)},
	})
	return eachContainer(spec, func(container object) error {
		if name, _ := container.fields["name"].(string); len(v.Containers) > 0 && !slices.Contains(v.Containers, name) {
			return nil
		}
		return mountVolumeIn(container, v)
	})
}

func mountVolumeIn(container object, v *v1.VolumeSpec) error {
	mounts, err := container.list("volumeMounts")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(mounts, func(m any) bool { return field(m, "mountPath") == v.MountPath })
	switch {
	case i < 0:
		container.fields["volumeMounts"] = append(mounts, map[string]any{"name": v.Name, "mountPath": v.MountPath})
	case field(mounts[i], "name") != v.Name:
		return fmt.Errorf("%s.volumeMounts: mounts another volume at %s, the mountPath of spec.volumes[%s]; change one of them", container.path, v.MountPath, v.Name)
	}
	return nil
}

// claimPattern is the name of the claim of a Task, with placeholders.
func claimPattern(v *v1.VolumeSpec) string {
	token := func(key string) string { return tokenStart + key + tokenEnd }
	if v.SharedBy() == v1.VolumePerTask {
		return token(v1.KeyPodName) + "-" + v.Name
	}
	return v1.ClaimName(token(v1.KeyFrameworkName), v.Name, v.SharedBy(), token(v1.KeyTaskRoleName), 0)
}
