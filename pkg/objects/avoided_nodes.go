package objects

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// AvoidedNodes are the nodes that Pods avoid, by name and in order. The zero value has none.
type AvoidedNodes struct {
	// Prefer: other nodes are preferred. Require: Pods must not go there. No name is in both.
	Prefer, Require []string
	// ByHostname: the label kubernetes.io/hostname of each node equals the name of the node, so Pods use the label.
	// Some autoscalers, such as Karpenter, ignore Pods whose affinity is about a node's name. A name that is too long
	// for a label is still avoided by name.
	ByHostname bool
}

// NodesAvoidedBy returns the nodes that Pods of a role avoid, from a list that need not be valid. It has at most
// v1.MaxAvoidedNodes of each kind. It ignores times.
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

// AvoidsStrictly reports whether a Pod's annotation says that it must avoid nodes.
func AvoidsStrictly(pod metav1.Object) bool {
	return pod.GetAnnotations()[v1.KeyAvoidNodes] == string(v1.AvoidRequire)
}

// addTo returns the template with an affinity for other nodes; strict reports whether the affinity is required.
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
	if err := prefer(node, a.otherThan(a.Prefer)); err != nil {
		return nil, false, err
	}
	if err := require(node, a.otherThan(a.Require)); err != nil {
		return nil, false, err
	}
	out, err = writeTree(pod.fields)
	return out, len(a.Require) > 0, err
}

// avoidedWeight is the maximum weight of a preference.
const avoidedWeight = 100

func prefer(affinity object, others nodeTerm) error {
	const key = "preferredDuringSchedulingIgnoredDuringExecution"
	if others.none() {
		return nil
	}
	given, err := affinity.list(key)
	if err != nil {
		return err
	}
	affinity.fields[key] = append(given, map[string]any{"weight": avoidedWeight, "preference": others.addTo(map[string]any{}, nodeTerm{})})
	return nil
}

// require adds these requirements to each required term, because any one of the terms suffices. An empty term matches no node, and must not
// match one afterwards.
func require(affinity object, others nodeTerm) error {
	const key = "requiredDuringSchedulingIgnoredDuringExecution"
	if others.none() {
		return nil
	}
	if affinity.fields[key] == nil {
		affinity.fields[key] = map[string]any{"nodeSelectorTerms": []any{others.addTo(map[string]any{}, nodeTerm{})}}
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
		given, err := nodeTermOf(term)
		if err != nil {
			return err
		}
		if !given.none() {
			others.addTo(term.fields, given)
		}
	}
	return nil
}

// nodeTerm is a term of a node affinity: all of its requirements must be met.
type nodeTerm struct{ expressions, fields []any }

func nodeTermOf(term object) (out nodeTerm, err error) {
	if out.expressions, err = term.list("matchExpressions"); err != nil {
		return nodeTerm{}, err
	}
	out.fields, err = term.list("matchFields")
	return out, err
}

func (t nodeTerm) none() bool { return len(t.expressions)+len(t.fields) == 0 }

// addTo adds these requirements to the given ones in a term, and returns the term.
func (t nodeTerm) addTo(term map[string]any, given nodeTerm) map[string]any {
	if len(t.expressions) > 0 {
		term["matchExpressions"] = append(given.expressions, t.expressions...)
	}
	if len(t.fields) > 0 {
		term["matchFields"] = append(given.fields, t.fields...)
	}
	return term
}

// otherThan fits all other nodes. A requirement on a name has exactly one value, and one on a label may have many.
func (a AvoidedNodes) otherThan(names []string) (out nodeTerm) {
	var labels []any
	for _, name := range names {
		if a.ByHostname && len(validation.IsValidLabelValue(name)) == 0 {
			labels = append(labels, name)
		} else {
			out.fields = append(out.fields, notIn(metav1.ObjectNameField, name))
		}
	}
	if len(labels) > 0 {
		out.expressions = []any{notIn(corev1.LabelHostname, labels...)}
	}
	return out
}

func notIn(key string, values ...any) map[string]any {
	return map[string]any{"key": key, "operator": "NotIn", "values": values}
}
