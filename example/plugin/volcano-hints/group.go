package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// podGroup is as much as is needed of Volcano's kind.
type podGroup struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Metadata   groupName   `json:"metadata"`
	Spec       groupSpec   `json:"spec"`
	Status     groupStatus `json:"status,omitzero"`
}

type groupName struct {
	Name string `json:"name"`
}

type groupSpec struct {
	MinMember     int32             `json:"minMember"`
	MinTaskMember map[string]int32  `json:"minTaskMember"`
	MinResources  map[string]string `json:"minResources,omitempty"`
	Queue         string            `json:"queue"`
}

type groupStatus struct {
	Phase string `json:"phase"` // Pending, Inqueue, Running, Unknown or Completed; empty at first
}

// groupOf is the group of all Tasks. Each attempt has one of its own: for Volcano, one that is completed stays so.
func groupOf(q *pluginpb.HintRequest, queue string) (*podGroup, error) {
	f := q.GetFramework()
	g := &podGroup{
		APIVersion: "scheduling.volcano.sh/v1beta1",
		Kind:       "PodGroup",
		Metadata:   groupName{fmt.Sprintf("%s-%d", f.GetName(), f.GetAttemptId())},
		Spec:       groupSpec{MinTaskMember: map[string]int32{}, Queue: queue},
	}
	all := map[string]resource.Quantity{}
	for _, role := range q.GetRoles() {
		g.Spec.MinMember += role.GetTaskNumber()
		g.Spec.MinTaskMember[role.GetName()] = role.GetTaskNumber()
		if err := add(all, role); err != nil {
			return nil, err
		}
	}
	if len(all) > 0 {
		g.Spec.MinResources = map[string]string{}
		for name, quantity := range all {
			g.Spec.MinResources[name] = quantity.String()
		}
	}
	return g, nil
}

// add adds what all Tasks of a role request.
func add(all map[string]resource.Quantity, role *pluginpb.RoleShape) error {
	for name, text := range role.GetRequests() {
		one, err := resource.ParseQuantity(text)
		if err != nil {
			return fmt.Errorf("task role %s: request of %s: %w", role.GetName(), name, err)
		}
		one.Mul(int64(role.GetTaskNumber()))
		sum := all[name]
		sum.Add(one)
		all[name] = sum
	}
	return nil
}

func (g *podGroup) object() *pluginpb.Object {
	text, err := json.Marshal(g)
	if err != nil {
		panic(err) // there is nothing in it that JSON has no form for
	}
	return &pluginpb.Object{Json: text}
}

// read returns nil if the group is gone.
func read(objects [][]byte) (*podGroup, error) {
	if len(objects) == 0 || len(objects[0]) == 0 {
		return nil, nil
	}
	g := &podGroup{}
	if err := json.Unmarshal(objects[0], g); err != nil {
		return nil, fmt.Errorf("reading the PodGroup: %w", err)
	}
	return g, nil
}
