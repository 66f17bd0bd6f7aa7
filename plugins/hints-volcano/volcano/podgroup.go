package volcano

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// podGroup is as much as is needed of Volcano's kind.
type podGroup struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   groupMetadata `json:"metadata"`
	Spec       groupSpec     `json:"spec"`
	Status     groupStatus   `json:"status,omitzero"`
}

type groupMetadata struct {
	Name              string    `json:"name"`
	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"` // set by the API server
}

type groupSpec struct {
	MinMember         int32             `json:"minMember"`
	MinTaskMember     map[string]int32  `json:"minTaskMember,omitempty"`
	MinResources      map[string]string `json:"minResources,omitempty"`
	Queue             string            `json:"queue"`
	PriorityClassName string            `json:"priorityClassName,omitempty"`
	NetworkTopology   *networkTopology  `json:"networkTopology,omitempty"`
}

type groupStatus struct {
	Phase      string           `json:"phase"` // Pending, Inqueue, Running, Unknown or Completed; empty at first
	Conditions []groupCondition `json:"conditions,omitempty"`
}

type groupCondition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	LastTransitionTime string `json:"lastTransitionTime"`
}

// groupOf returns the group of an attempt. Each attempt has its own, because Volcano never reopens a completed group.
func (s settings) groupOf(q *pluginpb.HintRequest, queue string) (*podGroup, error) {
	g := &podGroup{
		APIVersion: "scheduling.volcano.sh/v1beta1",
		Kind:       "PodGroup",
		Metadata:   groupMetadata{Name: gang.Name(q.GetFramework())},
		Spec:       groupSpec{Queue: queue},
	}
	least := minimumOf(q)
	g.Spec.MinMember, g.Spec.MinTaskMember = least.pods, least.perRole
	var err error
	if g.Spec.MinResources, err = gang.Requests(q.GetRoles(), least.surelyOf); err != nil {
		return nil, err
	}
	if g.Spec.PriorityClassName, err = gang.PriorityClass(q.GetScheduling(), q.GetRoles()); err != nil {
		return nil, err
	}
	g.Spec.NetworkTopology, err = s.topologyOf(q)
	return g, err
}

// groupIn returns nil if the group is gone.
func groupIn(objects [][]byte) (*podGroup, error) {
	if len(objects) == 0 || len(objects[0]) == 0 {
		return nil, nil
	}
	g := &podGroup{}
	if err := json.Unmarshal(objects[0], g); err != nil {
		return nil, fmt.Errorf("reading the PodGroup: %w", err)
	}
	return g, nil
}
