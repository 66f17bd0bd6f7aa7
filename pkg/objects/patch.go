package objects

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Patched returns a role's template with the patches of a scheduler plugin applied in order, as PodPatch describes;
// without any, the template itself. A nil patch is ignored. Unpatched parts stay as the user wrote them, except for the
// layout of the JSON.
//
// It fails if the template or the patch has a value of another kind where something must be added, or if a named
// container does not exist. The error names the place. null counts as absent.
func Patched(role string, template v1.PodTemplate, patches ...*pluginpb.PodPatch) (v1.PodTemplate, error) {
	patches = slices.DeleteFunc(slices.Clone(patches), func(p *pluginpb.PodPatch) bool { return p == nil })
	if len(patches) == 0 {
		return template, nil
	}
	path := templatePath(role)
	tree, err := parseTree(template)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pod, err := asObject(tree, path)
	if err != nil {
		return nil, err
	}
	for _, patch := range patches {
		if err := (podPatch{"schedulerHints.patches[" + role + "]", patch}).applyTo(pod); err != nil {
			return nil, err
		}
	}
	return writeTree(pod.fields)
}

// podPatch is a patch and the path to it, for error messages.
type podPatch struct {
	path string
	*pluginpb.PodPatch
}

func (p podPatch) applyTo(pod object) error {
	if err := p.patchMetadata(pod); err != nil {
		return err
	}
	spec, err := pod.object("spec")
	if err != nil {
		return err
	}
	// The typed fields come first: an empty container name means the first container of the template.
	for _, step := range []func(object) error{p.patchScheduling, p.addTolerations, p.addGates, p.patchContainers} {
		if err := step(spec); err != nil {
			return err
		}
	}
	merged, err := p.mergeSpec(spec)
	pod.fields["spec"] = merged
	return err
}

func (p podPatch) patchMetadata(pod object) error {
	metadata, err := pod.object("metadata")
	if err != nil {
		return err
	}
	if err := setTexts(metadata, "labels", p.GetLabels()); err != nil {
		return err
	}
	return setTexts(metadata, "annotations", p.GetAnnotations())
}

// setTexts puts texts into the object under key; they replace entries with the same name.
func setTexts(parent object, key string, texts map[string]string) error {
	if len(texts) == 0 {
		return nil
	}
	child, err := parent.object(key)
	if err != nil {
		return err
	}
	for name, text := range texts {
		child.fields[name] = text
	}
	return nil
}

func (p podPatch) patchScheduling(spec object) error {
	if name := p.GetSchedulerName(); name != "" {
		spec.fields["schedulerName"] = name
	}
	if name := p.GetPriorityClassName(); name != "" {
		spec.fields["priorityClassName"] = name
	}
	affinity, err := parseObject(p.GetAffinityJson(), p.path+".affinity_json")
	if err != nil {
		return err
	}
	if affinity != nil {
		spec.fields["affinity"] = affinity
	}
	return setTexts(spec, "nodeSelector", p.GetNodeSelector())
}

func (p podPatch) addTolerations(spec object) error {
	added, err := parseList(p.GetTolerationsJson(), p.path, "tolerations_json")
	if err != nil || len(added) == 0 {
		return err
	}
	given, err := spec.list("tolerations")
	if err != nil {
		return err
	}
	spec.fields["tolerations"] = append(given, added...)
	return nil
}

// addGates skips gates that the template has: the API server refuses a duplicate gate.
func (p podPatch) addGates(spec object) error {
	if len(p.GetSchedulingGates()) == 0 {
		return nil
	}
	gates, err := spec.list("schedulingGates")
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, gate := range gates {
		there[nameOf(gate)] = true
	}
	for _, name := range p.GetSchedulingGates() {
		if !there[name] {
			gates, there[name] = append(gates, map[string]any{"name": name}), true
		}
	}
	spec.fields["schedulingGates"] = gates
	return nil
}

// nameOf returns the name of an element of a list; empty if it has none.
func nameOf(value any) string {
	fields, _ := value.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

func (p podPatch) patchContainers(spec object) error {
	if len(p.GetContainers()) == 0 {
		return nil
	}
	byName, err := containersByName(spec)
	if err != nil {
		return err
	}
	for _, patch := range p.GetContainers() {
		path := fmt.Sprintf("%s.containers[%s]", p.path, patch.GetName())
		container, found := byName[patch.GetName()]
		switch {
		case !found && patch.GetName() == "":
			return fmt.Errorf("%s: %s.containers is empty", path, spec.path)
		case !found:
			return fmt.Errorf("%s: %s.containers has no container of that name", path, spec.path)
		}
		if err := patchContainer(container, patch, path); err != nil {
			return err
		}
	}
	return nil
}

// containersByName are the containers by name; of several with the same name, the first. The first of all also has the
// empty name.
func containersByName(spec object) (map[string]object, error) {
	containers, err := spec.list("containers")
	if err != nil {
		return nil, err
	}
	out := make(map[string]object, len(containers)+1)
	for i := range containers {
		container, err := asObject(containers[i], fmt.Sprintf("%s.containers[%d]", spec.path, i))
		if err != nil {
			return nil, err
		}
		containers[i] = container.fields
		if i == 0 {
			out[""] = container
		}
		if name := nameOf(container.fields); name != "" && out[name].fields == nil {
			out[name] = container
		}
	}
	return out, nil
}

func patchContainer(container object, patch *pluginpb.ContainerPatch, path string) error {
	added, err := parseList(patch.GetEnvJson(), path, "env_json")
	if err != nil {
		return err
	}
	if len(added) > 0 {
		given, err := container.list("env")
		if err != nil {
			return err
		}
		container.fields["env"] = append(added, given...)
	}
	if len(patch.GetRequests())+len(patch.GetLimits()) == 0 {
		return nil
	}
	resources, err := container.object("resources")
	if err != nil {
		return err
	}
	if err := setTexts(resources, "requests", patch.GetRequests()); err != nil {
		return err
	}
	return setTexts(resources, "limits", patch.GetLimits())
}

// parseObject returns nil for an empty text and for null.
func parseObject(text []byte, path string) (map[string]any, error) {
	tree, err := parseTree(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if tree == nil {
		return nil, nil
	}
	o, err := asObject(tree, path)
	return o.fields, err
}

// parseList returns nothing for an empty text and for null.
func parseList(text []byte, path, key string) ([]any, error) {
	tree, err := parseTree(text)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", path, key, err)
	}
	return object{path, map[string]any{key: tree}}.list(key)
}
