package kueue

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// gateNoQuota holds Pods back that Kueue has no quota for. It stays: an attempt is admitted once.
const gateNoQuota = "frameworkcontroller.microsoft.com/no-quota"

// coarser is an advice where each topology domain takes some bytes.
const coarser = "have a coarser topology, or fewer Tasks"

// patchesFor returns the patches that Pods need to run as admitted. An error says why a Pod cannot get them.
func (s settings) patchesFor(workloads []*workload, roles []*pluginpb.RoleShape) ([]*pluginpb.PodPatch, error) {
	var out []*pluginpb.PodPatch
	for _, w := range workloads {
		of, err := s.patchesOf(w)
		if err != nil {
			return nil, err
		}
		out = append(out, of...)
	}
	out = slices.DeleteFunc(out, func(p *pluginpb.PodPatch) bool {
		return !slices.ContainsFunc(roles, func(r *pluginpb.RoleShape) bool { return r.GetName() == p.GetTaskRole() })
	})
	if err := gang.CheckSize(&pluginpb.MayCreateResponse{Patches: out}, coarser); err != nil {
		return nil, err
	}
	return out, nil
}

func (s settings) patchesOf(w *workload) ([]*pluginpb.PodPatch, error) {
	if w.Status.Admission == nil {
		return nil, nil
	}
	var out []*pluginpb.PodPatch
	for _, a := range w.Status.Admission.PodSetAssignments {
		i := slices.IndexFunc(w.Spec.PodSets, func(p podSet) bool { return p.Name == a.Name })
		if i < 0 {
			continue
		}
		p, err := s.placementOf(w, a)
		if err != nil {
			return nil, err
		}
		d := dealer{set: w.Spec.PodSets[i], placement: p, domains: a.TopologyAssignment.domains()}
		if a.Count != nil {
			d.short = max(0, d.set.Count-*a.Count)
		}
		stretches := slices.DeleteFunc(w.stretches(), func(t stretch) bool { return t.PodSet != a.Name })
		stretches, held := d.hold(stretches)
		out = append(out, held...)
		for _, t := range stretches {
			out = append(out, d.patches(t)...)
		}
	}
	return out, nil
}

// dealer distributes the assignment of a pod set to its Tasks, one after the other.
type dealer struct {
	set       podSet
	placement placement
	domains   []domain // domains that have room left
	short     int32    // number of Pods without quota
}

// hold returns the stretches without the last Tasks, for which there is no quota, and the patches that hold these back. Only a pod set of
// one role has fewer, see allowFewer.
func (d *dealer) hold(of []stretch) ([]stretch, []*pluginpb.PodPatch) {
	var out []*pluginpb.PodPatch
	for d.short > 0 && len(of) > 0 {
		last := &of[len(of)-1]
		pods := min(d.short, last.Last-last.First+1)
		gate := &pluginpb.PodPatch{TaskRole: last.Role, SchedulingGates: []string{gateNoQuota}}
		out = append(out, forTasks(gate, last.Last-pods+1, last.Last))
		last.Last -= pods
		d.short -= pods
		if last.Last < last.First {
			of = of[:len(of)-1]
		}
	}
	return of, out
}

// patches are for the Tasks from first to last. The first patch that fits a Task counts.
func (d *dealer) patches(t stretch) []*pluginpb.PodPatch {
	var out []*pluginpb.PodPatch
	for t.First <= t.Last && len(d.domains) > 0 {
		next := &d.domains[0]
		pods := max(0, min(next.pods, t.Last-t.First+1))
		if pods > 0 {
			out = append(out, forTasks(d.placement.within(*next, d.set.TopologyRequest).patch(t.Role), t.First, t.First+pods-1))
		}
		t.First += pods
		next.pods -= pods
		if next.pods <= 0 {
			d.domains = d.domains[1:]
		}
	}
	if t.First <= t.Last && !d.placement.isEmpty() {
		out = append(out, forTasks(d.placement.patch(t.Role), t.First, t.Last))
	}
	return out
}

func forTasks(p *pluginpb.PodPatch, first, last int32) *pluginpb.PodPatch {
	p.Indices = []*pluginpb.IndexRange{{First: first, Last: last}}
	return p
}
