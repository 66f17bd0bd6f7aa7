package kueue

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

type classRef struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
}

// priorityOf returns the priority by which Kueue orders and preempts. Kueue itself looks the number up only for kinds that it integrates.
// The class of the Pods counts only if its number is known: the Pods have it for the scheduler.
func (s settings) priorityOf(q *pluginpb.HintRequest) (*classRef, *int32, error) {
	given := q.GetScheduling().GetPriorityClassName()
	name := given
	if name == "" {
		name, _ = gang.PriorityClass(nil, q.GetRoles()) // Kueue need not know the classes if they differ
	}
	if value, found := s.WorkloadPriorities[name]; found {
		return &classRef{"kueue.x-k8s.io", "WorkloadPriorityClass", name}, &value, nil
	}
	if value, found := s.Priorities[name]; found {
		return &classRef{"scheduling.k8s.io", "PriorityClass", name}, &value, nil
	}
	if given == "" {
		return nil, nil, nil
	}
	return nil, nil, fmt.Errorf("spec.scheduling.priorityClassName: the number of %s is not known, and Kueue does not look it up; have it put into the parameter workloadPriorities, or into priorities if it is a class of Pods", given)
}
