package objects

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// PodBuilder builds the Pods of one TaskRole. It never changes, so it may be shared between goroutines.
type PodBuilder struct {
	path string
	// What every Pod is made from; nil if keysVary or err is set.
	pattern pattern
	// The parsed template, kept only if it has tokens in keys: then each Pod needs a pattern of its own.
	template any
	keysVary bool
	// Why the template makes no Pod.
	err error
}

// NewPodBuilder prepares a role's template. It takes a bad template too: Build says what is wrong with it,
// so that a Task's fault is met where the API server's refusal would be.
func NewPodBuilder(role string, template v1.PodTemplate) *PodBuilder {
	b := &PodBuilder{path: templatePath(role)}
	tree, err := parseTree(template)
	switch {
	case err != nil:
		b.err = fmt.Errorf("%s: %w", b.path, err)
	case hasTokenInKey(tree):
		b.template, b.keysVary = tree, true
	default:
		b.pattern, b.err = podPattern(tree, b.path)
	}
	return b
}

// NewPatchedPodBuilder is NewPodBuilder for the template with the patch laid over it. If that is not possible, Build says
// why, as it does for a bad template.
func NewPatchedPodBuilder(role string, template v1.PodTemplate, patch *pluginpb.PodPatch) *PodBuilder {
	patched, err := Patched(role, template, patch)
	if err != nil {
		return &PodBuilder{path: templatePath(role), err: err}
	}
	return NewPodBuilder(role, patched)
}

func templatePath(role string) string { return "spec.taskRoles[" + role + "].task.pod" }

// Build returns the Pod of the Task's attempt as JSON, ready to be created (contract 1.4 to 1.8).
//
// It fails only if the template has another kind of value in a place where something has to be added, such as
// a string for a container; the error names that place. Such an error is final: it stays the same until the
// template changes. null is as good as absent everywhere, like for the API server. All else that is wrong with
// a template is left to the API server: no containers and null containers (422), labels that are not text and
// other wrong types (400), a second controller (422).
func (b *PodBuilder) Build(t Task) ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	v := t.values()
	if !b.keysVary {
		return b.pattern.json(v), nil
	}
	p, err := podPattern(replaceKeys(b.template, &v), b.path)
	if err != nil {
		return nil, err
	}
	return p.json(v), nil
}

// podPattern makes a pattern of a parsed template, which it uses up.
func podPattern(template any, path string) (pattern, error) {
	root, err := asObject(template, path)
	if err != nil {
		return nil, err
	}
	pod, err := podTree(root)
	if err != nil {
		return nil, err
	}
	return jsonPattern(pod), nil
}
