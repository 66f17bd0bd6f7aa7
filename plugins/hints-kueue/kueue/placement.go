package kueue

import (
	"fmt"
	"maps"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// placement has the fields that make the Pods of a pod set run where Kueue has room for them.
type placement struct {
	labels, annotations, nodeSelector map[string]string
	tolerations                       []toleration
}

// placementOf returns the placement of all Pods of a pod set. An error names a flavor that the parameters do not describe.
func (s settings) placementOf(w *workload, a assignment) (placement, error) {
	p := placement{labels: map[string]string{}, annotations: map[string]string{}, nodeSelector: map[string]string{}}
	seen := map[string]bool{}
	for _, resource := range slices.Sorted(maps.Keys(a.Flavors)) {
		name := a.Flavors[resource]
		described, known := s.Flavors[name]
		if s.Flavors != nil && !known {
			return p, fmt.Errorf("flavor %s is assigned, and the parameter flavors does not have it: have it put there, as {} if its nodes take nothing", name)
		}
		if !seen[name] {
			seen[name] = true
			maps.Copy(p.nodeSelector, described.NodeSelector)
			p.tolerations = append(p.tolerations, described.Tolerations...)
		}
	}
	for _, check := range w.Status.AdmissionChecks {
		for _, u := range check.PodSetUpdates {
			if u.Name == a.Name && check.State == "Ready" {
				p.add(u)
			}
		}
	}
	return p, nil
}

func (p *placement) add(u podSetUpdate) {
	maps.Copy(p.labels, u.Labels)
	maps.Copy(p.annotations, u.Annotations)
	maps.Copy(p.nodeSelector, u.NodeSelector)
	p.tolerations = append(p.tolerations, u.Tolerations...)
}

// within returns the placement of Pods in one domain. Kueue counts Pods on the nodes of a topology as foreign unless they declare that
// Kueue has placed them.
func (p placement) within(d domain, asked *topologyRequest) placement {
	p.nodeSelector, p.annotations = maps.Clone(p.nodeSelector), maps.Clone(p.annotations)
	maps.Copy(p.nodeSelector, d.nodes)
	switch {
	case asked == nil:
		p.annotations["kueue.x-k8s.io/podset-unconstrained-topology"] = "true"
	case asked.Required != "":
		p.annotations["kueue.x-k8s.io/podset-required-topology"] = asked.Required
	default:
		p.annotations["kueue.x-k8s.io/podset-preferred-topology"] = asked.Preferred
	}
	return p
}

func (p placement) isEmpty() bool {
	return len(p.labels)+len(p.annotations)+len(p.nodeSelector)+len(p.tolerations) == 0
}

func (p placement) patch(role string) *pluginpb.PodPatch {
	out := &pluginpb.PodPatch{TaskRole: role, Labels: p.labels, Annotations: p.annotations, NodeSelector: p.nodeSelector}
	if len(p.tolerations) > 0 {
		out.TolerationsJson = gang.JSON(p.tolerations)
	}
	return out
}
