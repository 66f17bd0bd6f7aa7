package kueue

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// template has the parts of a Pod that Kueue counts and matches. No Pod is created from it.
type template struct {
	Spec podSpec `json:"spec"`
}

type podSpec struct {
	RestartPolicy  string            `json:"restartPolicy"`
	NodeSelector   map[string]string `json:"nodeSelector,omitempty"`
	Tolerations    json.RawMessage   `json:"tolerations,omitempty"`
	Affinity       json.RawMessage   `json:"affinity,omitempty"`
	ResourceClaims json.RawMessage   `json:"resourceClaims,omitempty"`
	Containers     []container       `json:"containers"`
}

type container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Resources resources `json:"resources,omitzero"`
}

type resources struct {
	Requests map[string]string `json:"requests,omitempty"`
}

// workloadFor makes a Workload for some Tasks, which are added to an attempt that has one already, or all that there are.
func (s settings) workloadFor(q *pluginpb.HintRequest, name string, of []tasks, added bool) (*workload, error) {
	yes := true
	w := &workload{
		APIVersion: "kueue.x-k8s.io/v1beta2",
		Kind:       "Workload",
		Metadata:   metadata{Name: name},
		Spec:       spec{Active: &yes, QueueName: s.Queue},
	}
	var err error
	if w.Spec.PriorityClassRef, w.Spec.Priority, err = s.priorityOf(q); err != nil {
		return nil, err
	}
	portions, shapes, err := s.shapesOf(of, q.GetScheduling())
	if err != nil {
		return nil, err
	}
	topology := topologyOf(q.GetScheduling(), shapes)
	if err := topology.check(added); err != nil {
		return nil, err
	}
	var all []stretch
	for i, shape := range shapes {
		of := slices.DeleteFunc(slices.Clone(portions), func(p portion) bool { return !slices.Contains(shape.Roles, p.role) })
		set, err := podSetOf(of, topology.requests[i])
		if err != nil {
			return nil, err
		}
		w.Spec.PodSets = append(w.Spec.PodSets, set)
		for _, p := range of {
			for _, r := range p.ranges {
				all = append(all, stretch{Role: p.role.GetName(), PodSet: set.Name, First: r.GetFirst(), Last: r.GetLast()})
			}
		}
	}
	if s.PartialAdmission && !added {
		allowFewer(w.Spec.PodSets, q, shapes)
	}
	w.setStretches(all)
	return w, nil
}

// shapesOf returns the shapes for which the Workload needs pod sets, and the portions in them. If the memory of Tasks was raised, their
// pod set is another one. Where a Workload has none left, all Tasks of a role count like the largest.
func (s settings) shapesOf(of []tasks, scheduling *pluginpb.Scheduling) ([]portion, []gang.Shape, error) {
	var count int
	for _, sizes := range []gang.Sizing{together(scheduling), gang.Largest} {
		portions, err := portionsOf(of, sizes)
		if err != nil {
			return nil, nil, err
		}
		roles := make([]*pluginpb.RoleShape, len(portions))
		for i, p := range portions {
			roles[i] = p.role
		}
		shapes := gang.Merge(roles, s.MaxPodSets)
		if count = len(shapes); count <= s.MaxPodSets {
			return portions, shapes, nil
		}
	}
	return nil, nil, fmt.Errorf("%d TaskRoles have different Pods, and a Workload has at most %d pod sets (parameter maxPodSets: versions of Kueue after 0.17.0 take %d); reduce the number of TaskRoles, or make their Pods alike",
		count, s.MaxPodSets, mostPodSets)
}

// together keeps Tasks in one pod set for which a topology is Required, since Kueue keeps only the Pods of one pod set together.
func together(scheduling *pluginpb.Scheduling) gang.Sizing {
	return func(role *pluginpb.RoleShape) ([]gang.Size, error) {
		for _, t := range scheduling.GetTopology() {
			if t.GetRequired() && (t.GetTaskRole() == "" || t.GetTaskRole() == role.GetName()) {
				return gang.Largest(role)
			}
		}
		return gang.Sizes(role)
	}
}

// podSetOf returns the pod set of portions that are alike.
func podSetOf(of []portion, topology *topologyRequest) (podSet, error) {
	role := of[0].role
	set := podSet{Name: of[0].name, TopologyRequest: topology}
	for _, p := range of {
		set.Count += p.count
	}
	one := func(*pluginpb.RoleShape) int32 { return 1 }
	requests, err := gang.Requests([]*pluginpb.RoleShape{role}, one)
	if err != nil {
		return podSet{}, err
	}
	set.Template.Spec = podSpec{
		RestartPolicy:  "Never",
		NodeSelector:   role.GetNodeSelector(),
		Tolerations:    role.GetTolerationsJson(),
		Affinity:       role.GetAffinityJson(),
		ResourceClaims: role.GetResourceClaimsJson(),
		Containers:     []container{{Name: "all", Image: "none", Resources: resources{requests}}},
	}
	for field, text := range map[string][]byte{
		"affinity": role.GetAffinityJson(), "resourceClaims": role.GetResourceClaimsJson(), "tolerations": role.GetTolerationsJson(),
	} {
		if len(text) > 0 && !json.Valid(text) {
			return podSet{}, fmt.Errorf("role %s: %s of its Pods: not JSON", role.GetName(), field)
		}
	}
	return set, nil
}
