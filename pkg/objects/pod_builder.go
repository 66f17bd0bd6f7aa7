package objects

import (
	"fmt"
	"strconv"
	"strings"

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
	template  v1.PodTemplate
	keysVary  bool
	additions additions
	// Why the template makes no Pod.
	err error
}

// NewPodBuilder prepares a role's template. It takes a bad template too: Build says what is wrong with it,
// so that a Task's fault is met where the API server's refusal would be.
func NewPodBuilder(role string, template v1.PodTemplate) *PodBuilder {
	return newPodBuilder(templatePath(role), template, additions{environment: environmentText}, nil)
}

// additions are what each Pod of a builder gets beside its template, and beside what says whose it is.
type additions struct {
	strict      bool    // it must avoid nodes, which it says (v1.KeyAvoidNodes)
	completion  string  // which containers complete it, which it says (v1.KeyCompletionContainers); empty for all
	hosts       bool    // it gets the names under which DNS knows it
	keysAt      string  // directory of each container in which the keys are; empty if there are none
	environment pattern // of each container
	firstRank   int64   // of the role's Tasks among all
}

// newPodBuilder has Build fail with the error if it is not nil.
func newPodBuilder(path string, template v1.PodTemplate, a additions, err error) *PodBuilder {
	b := &PodBuilder{path: path, additions: a, err: err}
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
		b.pattern, b.err = newPodPattern(tree, b.path, b.additions)
	}
	return b
}

// NewPatchedPodBuilder is NewPodBuilder for the template with the patches laid over it. If that is not possible, Build says
// why, as it does for a bad template.
func NewPatchedPodBuilder(role string, template v1.PodTemplate, patches ...*pluginpb.PodPatch) *PodBuilder {
	return NewPodBuilderWith(role, template, Additions{}, patches...)
}

// Additions are what Pods get beside their templates. The zero value has nothing.
type Additions struct {
	// Avoided are nodes that Pods avoid, whatever else the template and the patches say about nodes. A template that names
	// its node is left as it is: no scheduler looks at such a Pod, and a kubelet refuses one that does not want to be there.
	Avoided AvoidedNodes
	// Network is what Pods are told of each other; nil if nothing.
	Network *Network
	// CompletionContainers are those of TaskSpec; empty if all containers complete a Pod.
	CompletionContainers []string
	// KeysAt is the directory in which each container finds the Framework's keys; empty if there are none.
	KeysAt string
}

// NewPodBuilderWith is NewPatchedPodBuilder for Pods that get something beside.
func NewPodBuilderWith(role string, template v1.PodTemplate, with Additions, patches ...*pluginpb.PodPatch) *PodBuilder {
	path := templatePath(role)
	a := additions{keysAt: with.KeysAt, environment: environmentText, completion: strings.Join(with.CompletionContainers, ",")}
	if n := with.Network; n != nil {
		a.hosts, a.environment, a.firstRank = n.hosts, n.environment, n.firstRank(role)
	}
	patched, err := Patched(role, template, patches...)
	if err == nil && !with.Avoided.none() {
		patched, a.strict, err = with.Avoided.addTo(patched, path)
	}
	return newPodBuilder(path, patched, a, err)
}

func templatePath(role string) string { return "spec.taskRoles[" + role + "].task.pod" }

// Build returns the Pod of the Task's attempt as JSON, ready to be created (contract 1.4 to 1.8).
//
// It fails only if the template has another kind of value in a place where something has to be added, such as
// a string for a container, if the Pod would be larger than the API server takes, or if a quantity would take it long to
// parse; the error names that place, and the limit. Such an error is final: it stays the same until the
// template changes. null is as good as absent everywhere, like for the API server. All else that is wrong with
// a template is left to the API server: no containers and null containers (422), labels that are not text and
// other wrong types (400, which is final, too), a second controller (422).
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
	v[taskRank] = strconv.FormatInt(b.additions.firstRank+int64(t.Index), 10)
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

func (b *PodBuilder) patternFor(v *values) (*podPattern, error) {
	if !b.keysVary {
		return b.pattern, nil
	}
	tree, err := parseTree(b.template)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.path, err)
	}
	return newPodPattern(replaceKeys(tree, v), b.path, b.additions)
}
