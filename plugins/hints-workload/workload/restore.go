package workload

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// restore returns the groups in the earlier answer for the same attempt, and keeps its form. Without such an answer, it returns none.
func (a *attempt) restore() ([]workload, error) {
	previous := a.question.GetPrevious()
	var out []workload
	for _, text := range previous.GetObjects() {
		var o object
		if err := json.Unmarshal(text.GetJson(), &o); err != nil {
			return nil, fmt.Errorf("reading the hints that the attempt has: %w", err)
		}
		if o.Kind != "Workload" {
			continue // a PodGroup follows from its template in the Workload
		}
		if f, known := forms[strings.TrimPrefix(o.APIVersion, apiGroup+"/")]; known {
			a.form = f
			out = append(out, restored(o))
		}
	}
	for _, p := range previous.GetPatches() {
		if err := a.join(out, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func restored(o object) workload {
	w := workload{name: o.Metadata.Name}
	for _, t := range append(o.Spec.PodGroups, o.Spec.Templates...) {
		g := group{name: t.Name, priority: t.PriorityClassName}
		for _, p := range []*policy{t.Policy, t.SchedulingPolicy} {
			if p != nil && p.Gang != nil {
				g.least = p.Gang.MinCount
			}
		}
		w.groups = append(w.groups, g)
	}
	return w
}

// join puts the Tasks that a patch is for into their group.
func (a *attempt) join(workloads []workload, p *pluginpb.PodPatch) error {
	var of podSpec
	if len(p.GetSpecJson()) == 0 {
		return nil
	}
	if err := json.Unmarshal(p.GetSpecJson(), &of); err != nil {
		return fmt.Errorf("reading the hints that the attempt has: %w", err)
	}
	for _, w := range workloads {
		for i, g := range w.groups {
			if !same(a.podSpec(w, g), of) {
				continue
			}
			for _, r := range p.GetIndices() {
				w.groups[i].tasks = append(w.groups[i].tasks, span{p.GetTaskRole(), r.GetFirst(), r.GetLast()})
			}
		}
	}
	return nil
}

func same(a, b podSpec) bool {
	switch {
	case a.WorkloadRef != nil && b.WorkloadRef != nil:
		return *a.WorkloadRef == *b.WorkloadRef
	case a.SchedulingGroup != nil && b.SchedulingGroup != nil:
		return *a.SchedulingGroup == *b.SchedulingGroup
	}
	return false
}
