package objects

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// AvoidedNodes are the nodes that Pods avoid, by name and in order. The zero value has none.
type AvoidedNodes struct {
	// Prefer: other nodes are preferred. Require: Pods must not go there. No name is in both.
	Prefer, Require []string
}

// NodesAvoidedBy returns those that Pods of a role avoid, of a list that may be odd. It has at most v1.MaxAvoidedNodes of each
// kind. Times are not looked at.
func NodesAvoidedBy(role string, list []v1.AvoidedNode) AvoidedNodes {
	var out AvoidedNodes
	for _, mode := range []v1.AvoidMode{v1.AvoidRequire, v1.AvoidPrefer} {
		var names []string
		for _, n := range list {
			if n.Mode == mode && (n.Role == "" || n.Role == role) && IsNodeName(n.Name) && !slices.Contains(out.Require, n.Name) {
				names = append(names, n.Name)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
		names = names[:min(len(names), v1.MaxAvoidedNodes)]
		if mode == v1.AvoidRequire {
			out.Require = names
		} else {
			out.Prefer = names
		}
	}
	return out
}

// IsNodeName reports whether a node may have that name.
func IsNodeName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

// Equal reports whether two are the same.
func (a AvoidedNodes) Equal(b AvoidedNodes) bool {
	return slices.Equal(a.Prefer, b.Prefer) && slices.Equal(a.Require, b.Require)
}

func (a AvoidedNodes) none() bool { return len(a.Prefer)+len(a.Require) == 0 }

// AvoidsStrictly reports whether a Pod says that it must avoid nodes.
func AvoidsStrictly(pod metav1.Object) bool {
	return pod.GetAnnotations()[v1.KeyAvoidNodes] == string(v1.AvoidRequire)
}

// addTo returns the template with an affinity for other nodes; strict says that it must have that.
func (a AvoidedNodes) addTo(template v1.PodTemplate, path string) (out v1.PodTemplate, strict bool, err error) {
	tree, err := parseTree(template)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	pod, err := asObject(tree, path)
	if err != nil {
		return nil, false, err
	}
	spec, err := pod.object("spec")
	if err != nil {
		return nil, false, err
	}
	if node, _ := spec.fields["nodeName"].(string); node != "" {
		return template, false, nil
	}
	affinity, err := spec.object("affinity")
	if err != nil {
		return nil, false, err
	}
	node, err := affinity.object("nodeAffinity")
	if err != nil {
		return nil, false, err
	}
	if err := prefer(node, a.Prefer); err != nil {
		return nil, false, err
	}
	if err := require(node, a.Require); err != nil {
		return nil, false, err
	}
	out, err = writeTree(pod.fields)
	return out, len(a.Require) > 0, err
}

// avoidedWeight is the most that a preference can have.
const avoidedWeight = 100

func prefer(affinity object, names []string) error {
	const key = "preferredDuringSchedulingIgnoredDuringExecution"
	if len(names) == 0 {
		return nil
	}
	given, err := affinity.list(key)
	if err != nil {
		return err
	}
	term := map[string]any{"weight": avoidedWeight, "preference": map[string]any{"matchFields": otherThan(names)}}
	affinity.fields[key] = append(given, term)
	return nil
}

// require adds to each term of what is required, as one of them is enough. A term that says nothing fits no node, and does
// not come to fit by this.
func require(affinity object, names []string) error {
	const key = "requiredDuringSchedulingIgnoredDuringExecution"
	if len(names) == 0 {
		return nil
	}
	if affinity.fields[key] == nil {
		affinity.fields[key] = map[string]any{"nodeSelectorTerms": []any{map[string]any{"matchFields": otherThan(names)}}}
		return nil
	}
	selector, err := affinity.object(key)
	if err != nil {
		return err
	}
	terms, err := selector.list("nodeSelectorTerms")
	if err != nil {
		return err
	}
	for i := range terms {
		term, err := asObject(terms[i], fmt.Sprintf("%s.nodeSelectorTerms[%d]", selector.path, i))
		if err != nil {
			return err
		}
		expressions, err := term.list("matchExpressions")
		if err != nil {
			return err
		}
		fields, err := term.list("matchFields")
		if err != nil {
			return err
		}
		if len(expressions)+len(fields) > 0 {
			term.fields["matchFields"] = append(fields, otherThan(names)...)
		}
	}
	return nil
}

// otherThan fits all other nodes. A requirement on a name has exactly one value.
func otherThan(names []string) []any {
	out := make([]any, len(names))
	for i, name := range names {
		out[i] = map[string]any{"key": metav1.ObjectNameField, "operator": "NotIn", "values": []any{name}}
	}
	return out
}
