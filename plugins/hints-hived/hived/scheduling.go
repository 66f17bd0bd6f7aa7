package hived

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// asked returns the settings together with the Framework's spec.scheduling. An error is meant for the Framework's author.
func (s settings) asked(q *pluginpb.HintRequest) (settings, error) {
	of := q.GetScheduling()
	s.VirtualCluster = cmp.Or(s.VirtualCluster, of.GetQueue())
	if _, running := specIn(q.GetPrevious()); running {
		return s, nil // the group has begun, with its priority and as a whole
	}
	if err := gang.NoTopology(of); err != nil {
		return s, err
	}
	if least, all := gang.Min(of, q.GetRoles()), gang.Total(q.GetRoles()); least < all {
		return s, fmt.Errorf("scheduling.gang: asks for %d of %d Tasks, and HiveD places all Pods of a group together, or none; "+
			"take minTasks out", least, all)
	}
	return s.withClass(of.GetPriorityClassName())
}

// withoutCells returns no opinion. If the Framework has a gang, it warns that HiveD ignores the gang, unless its author has written HiveD's
// annotation. The warning is shown only if no other plugin takes the gang.
func (s settings) withoutCells(q *pluginpb.HintRequest) *pluginpb.HintResponse {
	if q.GetScheduling().GetGang() == nil || gang.Total(q.GetRoles()) == 0 || slices.ContainsFunc(q.GetRoles(), byHand) {
		return nil
	}
	return &pluginpb.HintResponse{Warnings: []string{"HiveD ignores spec.scheduling.gang, because no TaskRole requests cells. The Pods are placed one by one, " +
		"by the scheduler of their template: have a role request " + s.LeafCellResource + ", or give it a leafCellNumber in the parameter taskRoles"}}
}

// withClass takes the priority that belongs to a class.
func (s settings) withClass(class string) (settings, error) {
	if class == "" {
		return s, nil
	}
	priority, known := s.PriorityClasses[class]
	if !known {
		return s, fmt.Errorf("scheduling.priorityClassName: is %s, and the parameter priorityClasses has no priority of HiveD for it%s; "+
			"add it there, or take it out and give the parameter priority", class, others(s.PriorityClasses))
	}
	s.Priority = priority
	return s, s.checkPriority("priorityClasses."+class, priority)
}

func others(classes map[string]int32) string {
	if len(classes) == 0 {
		return ""
	}
	return ", but for " + strings.Join(slices.Sorted(maps.Keys(classes)), ", ")
}

// classFor returns the priority class of the Pods; empty to keep their template's. It stays the same for the life of the group.
func classFor(q *pluginpb.HintRequest) string {
	if _, running := specIn(q.GetPrevious()); running {
		for _, p := range q.GetPrevious().GetPatches() {
			if p.GetPriorityClassName() != "" {
				return p.GetPriorityClassName()
			}
		}
		return ""
	}
	return q.GetScheduling().GetPriorityClassName()
}
