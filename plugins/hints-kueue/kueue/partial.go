package kueue

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// allowFewer lets Kueue admit fewer Pods of one pod set, because Kueue supports no more than one. Among the pod sets with a single role, it
// chooses the one of which the gang can spare the most, so that it is clear which role's Pods have no quota.
func allowFewer(sets []podSet, q *pluginpb.HintRequest, shapes []gang.Shape) {
	spare, of := int32(0), 0
	for i, shape := range shapes {
		if n := min(spareOf(q, shape), sets[i].Count-1); n > spare {
			spare, of = n, i
		}
	}
	if spare > 0 {
		least := sets[of].Count - spare
		sets[of].MinCount = &least
	}
}

// spareOf is how many Pods of a shape the gang can do without if it has all others.
func spareOf(q *pluginpb.HintRequest, shape gang.Shape) int32 {
	role := shape.Roles[0]
	if len(shape.Roles) > 1 || role.GetCompletedTaskCount() > 0 {
		return 0
	}
	left := gang.Left(role)
	others := gang.Total(q.GetRoles()) - left
	least := max(1, gang.MinOf(q.GetScheduling(), q.GetRoles(), role), gang.Min(q.GetScheduling(), q.GetRoles())-others)
	return left - least
}
