package convert

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// template is that of Pods. It is passed on as it is, but for what is added here.
type template struct {
	*notes
	path string
	of   map[string]any
}

// template takes one, as a copy.
func (f *fields) template(key string) *template {
	t := &template{notes: f.notes, path: f.at(key), of: map[string]any{}}
	value := f.take(key)
	of, ok := value.(map[string]any)
	if !ok {
		f.wrong(t.path, "must be a Pod template, and is %s", sortOf(value))
		return t
	}
	t.of = runtime.DeepCopyJSON(of)
	if t.spec() == nil || len(t.containers()) == 0 {
		f.wrong(t.path+".spec.containers", "must have at least one container")
	}
	if metadata, ok := t.of["metadata"].(map[string]any); ok && metadata["creationTimestamp"] == nil {
		delete(metadata, "creationTimestamp") // which clients in Go write as null
		if len(metadata) == 0 {
			delete(t.of, "metadata")
		}
	}
	return t
}

// copy is a template of its own.
func (t *template) copy() *template {
	return &template{notes: t.notes, path: t.path, of: runtime.DeepCopyJSON(t.of)}
}

// spec is nil if there is none.
func (t *template) spec() map[string]any {
	spec, _ := t.of["spec"].(map[string]any)
	return spec
}

func (t *template) specText(key string) string {
	text, _ := t.spec()[key].(string)
	return text
}

// setSpec sets a field, unless the template has it.
func (t *template) setSpec(key, value string) {
	if spec := t.spec(); spec != nil && t.specText(key) == "" {
		spec[key] = value
	}
}

func (t *template) containers() []map[string]any { return t.containersOf("containers") }

// allContainers has the init containers, too.
func (t *template) allContainers() []map[string]any {
	return append(t.containersOf("initContainers"), t.containers()...)
}

func (t *template) containersOf(key string) (all []map[string]any) {
	list, _ := t.spec()[key].([]any)
	for _, each := range list {
		if c, ok := each.(map[string]any); ok {
			all = append(all, c)
		}
	}
	return all
}

// word sets a label or an annotation, unless the template has it.
func (t *template) word(kind, key, value string) {
	metadata := under(t.of, "metadata")
	if words := under(metadata, kind); words[key] == nil {
		words[key] = value
	}
}

// under returns an object in another one, which is made if there is none.
func under(of map[string]any, key string) map[string]any {
	inner, ok := of[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		of[key] = inner
	}
	return inner
}

// variable is one of the environment.
type variable struct{ name, value string }

// setEnv puts variables before those of containers, so that these may refer to them. One that a container has stays as it is, and of
// two with one name the first counts.
func setEnv(containers []map[string]any, variables ...variable) {
	for _, c := range containers {
		own, _ := c["env"].([]any)
		var added []any
		for _, v := range variables {
			named := func(has any) bool { return isNamed(has, v.name) }
			if !slices.ContainsFunc(own, named) && !slices.ContainsFunc(added, named) {
				added = append(added, map[string]any{"name": v.name, "value": v.value})
			}
		}
		if len(added) > 0 {
			c["env"] = append(added, own...)
		}
	}
}

func isNamed(object any, name string) bool {
	of, ok := object.(map[string]any)
	return ok && of["name"] == name
}

// files has a folder in all containers with files of a known text. The texts are annotations of the Pod, from which the kubelet
// makes the files.
func (t *template) files(volume, folder string, files ...variable) {
	var items []any
	for _, file := range files {
		t.word("annotations", file.name, file.value)
		items = append(items, map[string]any{"path": file.name,
			"fieldRef": map[string]any{"fieldPath": fmt.Sprintf("metadata.annotations['%s']", file.name)}})
	}
	t.mount(t.allContainers(), volume, folder, map[string]any{"downwardAPI": map[string]any{"items": items}})
}

// mount adds a volume, unless there is one of that name, and mounts it.
func (t *template) mount(containers []map[string]any, volume, folder string, source map[string]any) {
	spec := t.spec()
	if spec == nil {
		return // and there are no containers, which is told elsewhere
	}
	volumes, _ := spec["volumes"].([]any)
	if !slices.ContainsFunc(volumes, func(v any) bool { return isNamed(v, volume) }) {
		source["name"] = volume
		spec["volumes"] = append(volumes, source)
	}
	for _, c := range containers {
		mounts, _ := c["volumeMounts"].([]any)
		c["volumeMounts"] = append(mounts, map[string]any{"name": volume, "mountPath": folder})
	}
}

// neverRestarts has Pods end when they fail, as it is the Task that is tried again then.
func (t *template) neverRestarts() {
	if spec := t.spec(); spec != nil {
		spec["restartPolicy"] = "Never"
	}
}

// mentions reports whether a word stands anywhere in the template.
func (t *template) mentions(word string) bool { return mentions(t.of, word) }

func mentions(value any, word string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, word)
	case []any:
		return slices.ContainsFunc(v, func(each any) bool { return mentions(each, word) })
	case map[string]any:
		for key, each := range v {
			if strings.Contains(key, word) || mentions(each, word) {
				return true
			}
		}
	}
	return false
}
