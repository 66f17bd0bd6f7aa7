package hived

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// New returns the plugin.
func New() plugin.Plugin {
	return gang.Scheduler[settings]{Name: "HiveD", Version: "1.2.0", FrameworkParameters: frameworkParameters, Read: read, Plan: plan}.Plugin()
}

// plan has no opinion on a Framework without any role for HiveD, but a warning if it is a gang.
func plan(s settings, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	roles, err := s.rolesIn(q)
	if err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		return s.withoutCells(q), nil
	}
	if s, err = s.asked(q); err != nil {
		return nil, err
	}
	spec, err := s.specFor(q, roles)
	if err != nil {
		return nil, err
	}
	answer := &pluginpb.HintResponse{Warnings: spec.warnings(q, roles)}
	class := classFor(q)
	for _, r := range roles {
		p := s.patch(r, spec)
		p.PriorityClassName = class
		answer.Patches = append(answer.Patches, p)
	}
	return answer, gang.CheckSize(answer, "reduce the number of TaskRoles")
}

// specFor returns the parts of the spec that all Pods of the group share.
func (s settings) specFor(q *pluginpb.HintRequest, roles []role) (schedulingSpec, error) {
	if before, found := specIn(q.GetPrevious()); found {
		return before, before.fits(roles)
	}
	if s.VirtualCluster == "" {
		return schedulingSpec{}, fmt.Errorf("virtualCluster: is missing, but role %s requests cells", roles[0].name)
	}
	f := q.GetFramework()
	return schedulingSpec{
		VirtualCluster: s.VirtualCluster, Priority: s.Priority, PinnedCellID: s.PinnedCellID, LeafCellType: s.LeafCellType,
		GangReleaseEnable: s.GangReleaseEnable, LazyPreemptionEnable: s.LazyPreemptionEnable, IgnoreK8sSuggestedNodes: s.IgnoreK8sSuggestedNodes,
		AffinityGroup: affinityGroup{
			Name:    fmt.Sprintf("%s/%s-attempt-%d", f.GetNamespace(), f.GetName(), f.GetAttemptId()),
			Members: membersOf(roles),
		},
	}, nil
}
