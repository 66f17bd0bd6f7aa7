package objects

import (
	"encoding/json"
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// WithMemory returns a role's template with at least this memory for its containers. Containers that it does not have are left out. The error
// names a place where the template has a value of another kind.
func WithMemory(role string, template v1.PodTemplate, list []v1.ContainerMemory) (v1.PodTemplate, error) {
	path := templatePath(role)
	tree, err := parseTree(template)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pod, err := asObject(tree, path)
	if err != nil {
		return nil, err
	}
	spec, err := pod.object("spec")
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"initContainers", "containers"} {
		if spec.fields[key] == nil {
			continue
		}
		containers, err := spec.list(key)
		if err != nil {
			return nil, err
		}
		for _, container := range containers {
			if err := raiseMemory(container, fmt.Sprintf("%s.%s", spec.path, key), list); err != nil {
				return nil, err
			}
		}
	}
	return writeTree(pod.fields)
}

// raiseMemory raises the memory of one container, if the list has it.
func raiseMemory(value any, path string, list []v1.ContainerMemory) error {
	container, err := asObject(value, path)
	if err != nil {
		return err
	}
	for _, m := range list {
		if nameOf(container.fields) != m.Container {
			continue
		}
		resources, err := container.object("resources")
		if err != nil {
			return err
		}
		if err := raiseAmount(resources, "limits", m.Limit); err != nil {
			return err
		}
		if m.Request != "" {
			return raiseAmount(resources, "requests", m.Request)
		}
	}
	return nil
}

func raiseAmount(resources object, key, amount string) error {
	amounts, err := resources.object(key)
	if err != nil {
		return err
	}
	if quantity.Bytes(textOf(amounts.fields["memory"])) < quantity.Bytes(amount) {
		amounts.fields["memory"] = amount
	}
	return nil
}

// textOf returns a quantity as text; it may be a number.
func textOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	}
	return ""
}
