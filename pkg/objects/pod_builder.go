package objects

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// PodBuilder builds the Pods of one TaskRole. It never changes, so it may be shared between goroutines. It takes some times
// the memory of its template, and no more.
type PodBuilder struct {
	path string
	// What every Pod is made from; nil if keysVary or err is set.
	pattern *podPattern
	// The template has tokens in keys: then each Pod needs a pattern of its own.
	template v1.PodTemplate
	keysVary bool
	// Whether its Pods must avoid nodes, which they say (v1.KeyAvoidNodes).
	strict bool
	// Why the template makes no Pod.
	err error
}

// NewPodBuilder prepares a role's template. It takes a bad template too: Build says what is wrong with it,
// so that a Task's fault is met where the API server's refusal would be.
func NewPodBuilder(role string, template v1.PodTemplate) *PodBuilder {
	return newPodBuilder(templatePath(role), template, false, nil)
}

// newPodBuilder has Build fail with the error if it is not nil.
func newPodBuilder(path string, template v1.PodTemplate, strict bool, err error) *PodBuilder {
	b := &PodBuilder{path: path, strict: strict, err: err}
	if err != nil {
		return b
	}
	tree, err := parseTree(template)
	switch {
	case err != nil:
		b.err = fmt.Errorf("%s: %w", b.path, err)
	case hasTokenInKey(tree):
		b.template, b.keysVary = template, true
	default:
		b.pattern, b.err = newPodPattern(tree, b.path, b.strict)
	}
	return b
}

// NewPatchedPodBuilder is NewPodBuilder for the template with the patches laid over it. If that is not possible, Build says
// why, as it does for a bad template.
func NewPatchedPodBuilder(role string, template v1.PodTemplate, patches ...*pluginpb.PodPatch) *PodBuilder {
	return NewAvoidingPodBuilder(role, template, AvoidedNodes{}, patches...)
}

func templatePath(role string) string { return "spec.taskRoles[" + role + "].task.pod" }

// Build returns the Pod of the Task's attempt as JSON, ready to be created (contract 1.4 to 1.8).
//
// It fails only if the template has another kind of value in a place where something has to be added, such as
// a string for a container, if the Pod would be larger than the API server takes, or if a quantity would take it long to
// parse; the error names that place, and the limit. Such an error is final: it stays the same until the
// template changes. null is as good as absent everywhere, like for the API server. All else that is wrong with
// a template is left to the API server: no containers and null containers (422), labels that are not text and
// other wrong types (400), a second controller (422).
func (b *PodBuilder) Build(t Task) ([]byte, error) {
	p, v, size, err := b.prepare(t)
	if err != nil {
		return nil, err
	}
	return p.text.append(make([]byte, 0, size), v), nil
}

// Size returns how many bytes Build would return, without building them. It fails as Build does.
func (b *PodBuilder) Size(t Task) (int, error) {
	_, _, size, err := b.prepare(t)
	return size, err
}

// Cost returns about how many bytes of memory it takes to build the Pod, and to hold it. That is its size for nearly every
// template, and little if there is none to build; to find it out costs no more than reading through the template.
func (b *PodBuilder) Cost(t Task) int {
	if b.keysVary {
		return costOfTrees * len(b.template)
	}
	size, _ := b.Size(t)
	return size
}

// costOfTrees is how many times the length of its text a tree takes, with what is made of it: two bytes are enough for a
// number, of which a tree takes forty.
const costOfTrees = 40

// prepare returns what a Pod is put together from, and its size.
func (b *PodBuilder) prepare(t Task) (p *podPattern, inJSON *values, size int, err error) {
	if b.err != nil {
		return nil, nil, 0, b.err
	}
	v := t.values()
	if p, err = b.patternFor(&v); err != nil {
		return nil, nil, 0, err
	}
	if err := p.checkVarying(&v); err != nil {
		return nil, nil, 0, err
	}
	inJSON = v.inJSON()
	size = p.text.size(inJSON)
	return p, inJSON, size, checkSize(size, p, inJSON, b.path)
}

func (b *PodBuilder) patternFor(v *values) (*podPattern, error) {
	if !b.keysVary {
		return b.pattern, nil
	}
	tree, err := parseTree(b.template)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.path, err)
	}
	return newPodPattern(replaceKeys(tree, v), b.path, b.strict)
}
