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
	shapes, err := s.shapesOf(of)
	if err != nil {
		return nil, err
	}
	topology := topologyOf(q.GetScheduling(), shapes)
	if err := topology.check(added); err != nil {
		return nil, err
	}
	var all []stretch
	for i, shape := range shapes {
		set, err := podSetOf(shape, of, topology.requests[i])
		if err != nil {
			return nil, err
		}
		w.Spec.PodSets = append(w.Spec.PodSets, set)
		for _, role := range shape.Roles {
			t := of[slices.IndexFunc(of, func(t tasks) bool { return t.role == role })]
			all = append(all, stretch{Role: role.GetName(), PodSet: set.Name, First: t.first, Last: t.last})
		}
	}
	if s.PartialAdmission && !added {
		allowFewer(w.Spec.PodSets, q, shapes)
	}
	w.setStretches(all)
	return w, nil
}

// shapesOf returns the shapes for which the Workload needs pod sets.
func (s settings) shapesOf(of []tasks) ([]gang.Shape, error) {
	roles := make([]*pluginpb.RoleShape, len(of))
	for i, t := range of {
		roles[i] = t.role
	}
	shapes := gang.Merge(roles, s.MaxPodSets)
	if len(shapes) > s.MaxPodSets {
		return nil, fmt.Errorf("%d TaskRoles have different Pods, and a Workload has at most %d pod sets (parameter maxPodSets: versions of Kueue after 0.17.0 take %d); reduce the number of TaskRoles, or make their Pods alike",
			len(shapes), s.MaxPodSets, mostPodSets)
	}
	return shapes, nil
}

func podSetOf(shape gang.Shape, of []tasks, topology *topologyRequest) (podSet, error) {
	role := shape.Roles[0]
	set := podSet{Name: shape.Name(), TopologyRequest: topology}
	for _, t := range of {
		if slices.Contains(shape.Roles, t.role) {
			set.Count += t.count
		}
	}
	one := func(*pluginpb.RoleShape) int32 { return 1 }
	requests, err := gang.Requests(shape.Roles[:1], one)
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
