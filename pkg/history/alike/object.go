package alike

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Content is an object as JSON, with its digest, the SHA-256 in hex.
type Content struct {
	JSON   []byte
	Digest string
}

func contentOf(object any) (Content, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return Content{}, err
	}
	return Content{JSON: text, Digest: digestOf(text)}, nil
}

// tokens begins the name of the volume that the API server adds for a token, with a random end.
const tokens = "kube-api-access-"

// Pod returns the common part of equal Tasks: labels, annotations and the spec, without names, UIDs, the node, and the values that
// belong to one Task. With environment, it has the values of other environment variables.
func Pod(p *corev1.Pod, environment bool) (Content, error) {
	isOwn := func(key string) bool { return ofOne[key] }
	out := corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Labels: without(p.Labels, isOwn), Annotations: without(WithoutCopies(p.Annotations), isOwn)},
	}
	p.Spec.DeepCopyInto(&out.Spec)
	spec := &out.Spec
	spec.NodeName = ""
	if spec.Hostname == p.Name {
		spec.Hostname = ""
	}
	for i := range spec.Volumes {
		normalizeToken(&spec.Volumes[i].Name)
	}
	for c := range containersIn(spec) {
		for i := range c.VolumeMounts {
			normalizeToken(&c.VolumeMounts[i].Name)
		}
		for i := range c.Env {
			if !environment || ofOne[c.Env[i].Name] {
				c.Env[i].Value = ""
			}
		}
	}
	// Other fields of the object, such as a time that is zero, would only add noise.
	type metadata struct {
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	return contentOf(struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metadata        `json:"metadata"`
		Spec            *corev1.PodSpec `json:"spec"`
	}{out.TypeMeta, metadata{out.Labels, out.Annotations}, spec})
}

func normalizeToken(volume *string) {
	if strings.HasPrefix(*volume, tokens) {
		*volume = strings.TrimSuffix(tokens, "-")
	}
}

// containersIn visits all containers, as far as these have the fields of a container.
func containersIn(spec *corev1.PodSpec) func(yield func(*corev1.Container) bool) {
	return func(yield func(*corev1.Container) bool) {
		for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
		for i := range spec.EphemeralContainers {
			if !yield((*corev1.Container)(&spec.EphemeralContainers[i].EphemeralContainerCommon)) {
				return
			}
		}
	}
}

// Framework returns a Framework without status. Its Pod templates have values of environment variables only with environment.
func Framework(meta *metav1.ObjectMeta, spec *v1.FrameworkSpec, environment bool) (Content, error) {
	out := *spec
	if !environment {
		out.TaskRoles = slices.Clone(out.TaskRoles)
		for i := range out.TaskRoles {
			task := &out.TaskRoles[i].Task
			task.Pod = withoutEnvironment(task.Pod)
		}
	}
	type metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		UID         string            `json:"uid"`
		Generation  int64             `json:"generation,omitempty"`
		Created     metav1.Time       `json:"creationTimestamp"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	return contentOf(struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metadata          `json:"metadata"`
		Spec       *v1.FrameworkSpec `json:"spec"`
	}{v1.SchemeGroupVersion.String(), v1.FrameworkKind, metadata{meta.Namespace, meta.Name, string(meta.UID), meta.Generation,
		meta.CreationTimestamp, meta.Labels, WithoutCopies(meta.Annotations)}, &out})
}

// withoutEnvironment leaves the values of environment variables out of a Pod template. A template that cannot be read is left out as a
// whole: the values in it would not be found.
func withoutEnvironment(template v1.PodTemplate) v1.PodTemplate {
	decoder := json.NewDecoder(bytes.NewReader(template))
	decoder.UseNumber()
	var tree map[string]any
	if decoder.Decode(&tree) != nil {
		return v1.PodTemplate("{}")
	}
	if metadata, ok := tree["metadata"].(map[string]any); ok {
		dropCopies(metadata["annotations"])
	}
	if spec, ok := tree["spec"].(map[string]any); ok {
		for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
			for _, c := range objectsIn(spec[list]) {
				for _, variable := range objectsIn(c["env"]) {
					delete(variable, "value")
				}
			}
		}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return v1.PodTemplate("{}")
	}
	return text
}

func dropCopies(annotations any) {
	fields, _ := annotations.(map[string]any)
	for key := range fields {
		if strings.HasSuffix(key, lastApplied) {
			delete(fields, key)
		}
	}
}

func objectsIn(list any) (all []map[string]any) {
	items, _ := list.([]any)
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			all = append(all, fields)
		}
	}
	return all
}
