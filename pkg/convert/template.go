package convert

import (
	"fmt"
	"path"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// template is a Pod template. It is passed on unchanged, except for additions.
type template struct {
	*notes
	path   string
	of     map[string]any
	source map[string]any // the original spec, without additions
}

// template takes a Pod template, as a copy.
func (f *fields) template(key string) *template {
	t := &template{notes: f.notes, path: f.at(key), of: map[string]any{}}
	value := f.take(key)
	of, ok := value.(map[string]any)
	if !ok {
		f.wrong(t.path, "must be a Pod template, but is %s", sortOf(value))
		return t
	}
	t.of = runtime.DeepCopyJSON(of)
	if t.spec() == nil || len(t.containers()) == 0 {
		f.wrong(t.path+".spec.containers", "must have at least one container")
	}
	t.source, _ = of["spec"].(map[string]any)
	if metadata, ok := t.of["metadata"].(map[string]any); ok && metadata["creationTimestamp"] == nil {
		delete(metadata, "creationTimestamp") // clients in Go write it as null
		if len(metadata) == 0 {
			delete(t.of, "metadata")
		}
	}
	return t
}

// copy returns an independent copy.
func (t *template) copy() *template {
	return &template{notes: t.notes, path: t.path, of: runtime.DeepCopyJSON(t.of), source: t.source}
}

// spec returns the Pod spec, or nil.
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

// first returns only the first container, as some operators change no other.
func (t *template) first() []map[string]any {
	all := t.containers()
	return all[:min(1, len(all))]
}

// allContainers returns all containers, including init containers.
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

// words returns the labels or the annotations, or nil.
func (t *template) words(kind string) map[string]any {
	metadata, _ := t.of["metadata"].(map[string]any)
	words, _ := metadata[kind].(map[string]any)
	return words
}

// word sets a label or an annotation, unless the template has it.
func (t *template) word(kind, key, value string) {
	metadata := under(t.of, "metadata")
	if words := under(metadata, kind); words[key] == nil {
		words[key] = value
	}
}

// under returns an object within another one, and creates it if it is missing.
func under(of map[string]any, key string) map[string]any {
	inner, ok := of[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		of[key] = inner
	}
	return inner
}

// variable is an environment variable.
type variable struct{ name, value string }

// setEnv puts variables in front of the variables of each container, which may refer to them. A container's own variable is kept. The
// first of two with the same name counts.
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

// files adds a folder of files with fixed content to containers. The kubelet writes the files from annotations of the Pod.
func (t *template) files(containers []map[string]any, volume, folder string, files ...variable) {
	var items []any
	for _, file := range files {
		key := t.freeAnnotation(file)
		t.word("annotations", key, file.value)
		items = append(items, map[string]any{"path": file.name,
			"fieldRef": map[string]any{"fieldPath": fmt.Sprintf("metadata.annotations['%s']", key)}})
	}
	t.mount(containers, volume, folder, map[string]any{"downwardAPI": map[string]any{"items": items}})
}

// freeAnnotation returns a key for the content of a file: its name, unless that is too long for a key or the template has an
// annotation of that name with other content.
func (t *template) freeAnnotation(file variable) string {
	name := file.name
	if len(name) > longestName {
		name = "file"
	}
	return freeName(name, func(key string) bool {
		other := t.words("annotations")[key]
		return other != nil && other != file.value
	})
}

// mount mounts a volume, which is added under a free name. A container with another mount in that folder keeps it.
func (t *template) mount(containers []map[string]any, volume, folder string, source map[string]any) {
	if t.spec() == nil {
		return // without containers, which is reported elsewhere
	}
	name := ""
	for _, c := range containers {
		mounts, _ := c["volumeMounts"].([]any)
		if slices.ContainsFunc(mounts, func(m any) bool { return isMountedAt(m, folder) }) {
			t.say(t.path+".spec.containers", "container %v has its own mount at %s, which stays", c["name"], folder)
			continue
		}
		if name == "" {
			name = t.volume(volume, source)
		}
		c["volumeMounts"] = append(mounts, map[string]any{"name": name, "mountPath": folder})
	}
}

func isMountedAt(mount any, folder string) bool {
	of, _ := mount.(map[string]any)
	at, _ := of["mountPath"].(string)
	return at != "" && path.Clean(at) == path.Clean(folder)
}

// volume returns the name for a volume: the wanted one, unless another volume of the template has it.
func (t *template) volume(wanted string, source map[string]any) string {
	spec := t.spec()
	volumes, _ := spec["volumes"].([]any)
	known := false
	name := freeName(wanted, func(name string) bool {
		source["name"] = name
		known = slices.ContainsFunc(volumes, func(v any) bool { return reflect.DeepEqual(v, source) })
		named := func(v any) bool { return isNamed(v, name) }
		return !known && (name == objects.KeyVolume || slices.ContainsFunc(volumes, named))
	})
	if !known {
		spec["volumes"] = append(volumes, source)
	}
	return name
}

// neverRestarts makes Pods end when they fail, as the Task is retried instead.
func (t *template) neverRestarts() {
	if spec := t.spec(); spec != nil {
		spec["restartPolicy"] = "Never"
	}
}
