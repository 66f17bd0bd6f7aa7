package objects

import (
	"fmt"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// PodBuilder builds the Pods of one TaskRole. It is immutable, so it may be shared between goroutines. It takes a few
// times the memory of its template.
type PodBuilder struct {
	path string
	// The pattern of every Pod; nil if keysVary or err is set.
	pattern *podPattern
	// The template has tokens in keys, so each Pod needs a pattern of its own.
	template  v1.PodTemplate
	keysVary  bool
	additions additions
	// itemsNamed are the variables of items that the template names.
	itemsNamed []string
	// Why no Pod can be built from the template.
	err error
}

// NewPodBuilder prepares a role's template. It accepts a bad template too: Build returns the mistake, so that a Task's
// fault is met where the API server's refusal would be.
func NewPodBuilder(role string, template v1.PodTemplate) *PodBuilder {
	return newPodBuilder(templatePath(role), template, additions{environment: environmentText}, nil)
}

// additions are the parts of each Pod of a builder that come neither from its template nor from its identity.
type additions struct {
	strict      bool   // it must avoid nodes (annotation v1.KeyAvoidNodes)
	completion  string // containers that complete it (annotation v1.KeyCompletionContainers); empty for all
	hosts       bool   // it gets the names by which DNS finds it
	keysAt      string // directory of the keys in each container; empty for none
	volumes     []v1.VolumeSpec
	environment pattern // environment of each container
	firstRank   int64   // rank of the role's first Task among all Tasks
}

// newPodBuilder makes Build fail with the error if it is not nil.
func newPodBuilder(path string, template v1.PodTemplate, a additions, err error) *PodBuilder {
	b := &PodBuilder{path: path, additions: a, err: err}
	if err != nil {
		return b
	}
	b.itemsNamed = itemsNamed(string(template))
	tree, err := parseTree(template)
	switch {
	case err != nil:
		b.err = fmt.Errorf("%s: %w", b.path, err)
	case hasTokenInKey(tree):
		b.template, b.keysVary = template, true
	default:
		b.pattern, b.err = newPodPattern(tree, b.path, b.additions)
	}
	return b
}

// NewPatchedPodBuilder is NewPodBuilder for the template with the patches applied. If that is not possible, Build
// returns the reason, as it does for a bad template.
func NewPatchedPodBuilder(role string, template v1.PodTemplate, patches ...*pluginpb.PodPatch) *PodBuilder {
	return NewPodBuilderWith(role, template, Additions{}, patches...)
}

// Additions are parts of Pods beside their templates. The zero value adds nothing.
type Additions struct {
	// Avoided are nodes that Pods avoid, whatever else the template and the patches require of nodes. A template that
	// names its node is left unchanged: no scheduler handles such a Pod, and a kubelet refuses one that must avoid its
	// node.
	Avoided AvoidedNodes
	// Network is the information that Pods get about each other; nil for none.
	Network *Network
	// CompletionContainers as in TaskSpec; empty if all containers complete a Pod.
	CompletionContainers []string
	// KeysAt is the directory in which each container finds the Framework's keys; empty if there are none.
	KeysAt string
	// Volumes that containers have.
	Volumes []v1.VolumeSpec
	// Memory that containers get at least.
	Memory []v1.ContainerMemory
}

// NewPodBuilderWith is NewPatchedPodBuilder for Pods with additions.
func NewPodBuilderWith(role string, template v1.PodTemplate, with Additions, patches ...*pluginpb.PodPatch) *PodBuilder {
	path := templatePath(role)
	a := additions{keysAt: with.KeysAt, volumes: with.Volumes, environment: environmentText, completion: strings.Join(with.CompletionContainers, ",")}
	if n := with.Network; n != nil {
		a.hosts, a.environment, a.firstRank = n.hosts, n.environment, n.firstRank(role)
	}
	patched, err := Patched(role, template, patches...)
	if err == nil && len(with.Memory) > 0 {
		patched, err = WithMemory(role, patched, with.Memory)
	}
	if err == nil && !with.Avoided.none() {
		patched, a.strict, err = with.Avoided.addTo(patched, path)
	}
	return newPodBuilder(path, patched, a, err)
}

func templatePath(role string) string { return "spec.taskRoles[" + role + "].task.pod" }

// Build returns the Pod of the Task's attempt as JSON, ready to be created (contract 1.4 to 1.8).
//
// It fails only if the template has a value of another kind where something must be added, such as a string for a
// container; if the Pod would exceed the API server's limit; or if a quantity would take it long to parse. The error
// names the place, and the limit. Such an error is final: it stays the same until the template changes. null counts as
// absent everywhere, as in the API server. All other mistakes in a template are left to the API server: no containers
// and null containers (422), labels that are not text and other wrong types (400, which is final, too), a second
// controller (422).
func (b *PodBuilder) Build(t Task) ([]byte, error) {
	p, v, size, err := b.prepare(t)
	if err != nil {
		return nil, err
	}
	return p.text.append(make([]byte, 0, size), v), nil
}

// Size returns the length of Build's result in bytes, without building it. It fails as Build does.
func (b *PodBuilder) Size(t Task) (int, error) {
	_, _, size, err := b.prepare(t)
	return size, err
}

// Cost estimates the bytes of memory needed to build the Pod and to hold it. For nearly every template this is the Pod's size, and it is
// little if no Pod can be built; the estimate costs no more than reading through the template.
func (b *PodBuilder) Cost(t Task) int {
	if b.keysVary {
		return costOfTrees*len(b.template) + b.costOfItem(t)
	}
	size, _ := b.Size(t)
	return size
}

// costOfTrees is the memory of a tree and its results, as a multiple of the length of its text: two bytes suffice for a
// number, which takes forty in a tree.
const costOfTrees = 40

// costOfItem is the most that the item of the Task adds to a Pod, wherever its template names it. A container, which gets it too, takes at
// least three bytes of the template.
func (b *PodBuilder) costOfItem(t Task) int {
	if t.Item == nil {
		return 0
	}
	return min(MaxPodBytes, len(b.template)/3*len(itemEnvironment(t.Item.Variables())))
}

// prepare returns the parts of a Pod, and its size.
func (b *PodBuilder) prepare(t Task) (p *podPattern, inJSON *values, size int, err error) {
	if b.err != nil {
		return nil, nil, 0, b.err
	}
	v := t.values()
	if err := b.setItem(&v, t); err != nil {
		return nil, nil, 0, err
	}
	v.fixed[taskRank] = strconv.FormatInt(b.additions.firstRank+int64(t.Index), 10)
	if p, err = b.patternFor(&v); err != nil {
		return nil, nil, 0, err
	}
	if err := p.checkVarying(&v); err != nil {
		return nil, nil, 0, err
	}
	inJSON = v.inJSON(b.additions.environment)
	size = p.text.size(inJSON)
	return p, inJSON, size, checkSize(size, p, inJSON, b.path)
}

// setItem sets the values of the Task's item. An item without a key that the template names is a mistake, as the name would be taken for
// the value.
func (b *PodBuilder) setItem(v *values, t Task) error {
	if t.Item == nil {
		return nil
	}
	v.item = t.Item.Variables()
	v.ofItem = make(map[string]string, len(v.item))
	for _, variable := range v.item {
		v.ofItem[variable.Name] = variable.Value
	}
	for _, name := range b.itemsNamed {
		if _, known := v.ofItem[name]; !known {
			return fmt.Errorf("%s: it has the placeholder %s%s%s, and item %d of the role has no such key", b.path, tokenStart, name, tokenEnd, t.Index)
		}
	}
	return nil
}

func (b *PodBuilder) patternFor(v *values) (*podPattern, error) {
	if !b.keysVary {
		return b.pattern, nil
	}
	tree, err := parseTree(b.template)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.path, err)
	}
	if size := sizeOfKeys(tree, v); size > MaxPodBytes {
		return nil, fmt.Errorf("%s: the keys in it would have %d bytes, but the API server accepts at most %d", b.path, size, MaxPodBytes)
	}
	return newPodPattern(replaceKeys(tree, v), b.path, b.additions)
}
