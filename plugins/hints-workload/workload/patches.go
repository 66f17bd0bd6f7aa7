package workload

import (
	"encoding/json"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// podSpec has the field by which a Pod names its group: one of the two, depending on the form.
type podSpec struct {
	WorkloadRef     *podWorkloadRef  `json:"workloadRef,omitempty"`
	SchedulingGroup *schedulingGroup `json:"schedulingGroup,omitempty"`
}

type podWorkloadRef struct {
	Name     string `json:"name"`
	PodGroup string `json:"podGroup"`
}

type schedulingGroup struct {
	PodGroupName string `json:"podGroupName"`
}

func (a *attempt) podSpec(w workload, g group) podSpec {
	if a.form.podGroups {
		return podSpec{SchedulingGroup: &schedulingGroup{podGroupName(w, g)}}
	}
	return podSpec{WorkloadRef: &podWorkloadRef{w.name, g.name}}
}

// patches returns the patches in the order of the roles and of the Workloads. Each lists its Tasks, because the next answer is derived from
// this one.
func (a *attempt) patches() []*pluginpb.PodPatch {
	var out []*pluginpb.PodPatch
	for _, role := range a.question.GetRoles() {
		for _, w := range a.workloads {
			for _, g := range w.groups {
				if p := a.patch(role.GetName(), w, g); p != nil {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// patch returns nil if no Tasks of the role are in the group.
func (a *attempt) patch(role string, w workload, g group) *pluginpb.PodPatch {
	text, _ := json.Marshal(a.podSpec(w, g))                   // names only: it cannot fail
	class := a.question.GetScheduling().GetPriorityClassName() // before 1.36 a Pod has no other field for it
	if a.form.podGroups {
		class = g.priority // the group's priority stays; from 1.37 on, no Pod is placed whose priority differs from its group's
	}
	out := &pluginpb.PodPatch{TaskRole: role, SpecJson: text, PriorityClassName: class}
	for _, s := range g.tasks {
		if s.role == role {
			out.Indices = append(out.Indices, &pluginpb.IndexRange{First: s.first, Last: s.last})
		}
	}
	if out.Indices == nil {
		return nil
	}
	return out
}
