package hived

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Version is recorded with every answer.
const Version = "1.2.0"

// New returns the plugin. Questions bring its parameters, so it keeps none.
func New() plugin.Plugin {
	configure := func(_ string, s *structpb.Struct) error {
		_, err := read(s)
		return err
	}
	return plugin.Plugin{Version: Version, Configure: configure, FrameworkParameters: frameworkParameters, SchedulerHints: plugin.HintsFunc(hint)}
}

// hint has no opinion on a Framework without any role for HiveD, but a warning if it is a gang.
func hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	answer, err := plan(q)
	if err != nil {
		return &pluginpb.HintResponse{Refusal: "HiveD: " + err.Error()}, nil
	}
	return answer, nil
}

// plan returns an error if HiveD cannot schedule the Framework, for the author of the Framework.
func plan(q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	s, err := read(q.GetParameters())
	if err != nil {
		return nil, err
	}
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
	if size := len(protojson.Format(answer)); size > maxAnswer {
		return nil, fmt.Errorf("the hints for %d task roles take %d bytes, and at most %d can be stored", len(roles), size, maxAnswer)
	}
	return answer, nil
}

// maxAnswer is how many bytes of JSON the status has for hints. Format writes more than that is stored, as it indents.
const maxAnswer = 64 << 10

// specFor returns what all Pods of the group have in common.
func (s settings) specFor(q *pluginpb.HintRequest, roles []role) (schedulingSpec, error) {
	if before, found := specIn(q.GetPrevious()); found {
		return before, before.fits(roles)
	}
	if s.VirtualCluster == "" {
		return schedulingSpec{}, fmt.Errorf("virtualCluster: is missing, and task role %s wants cells of one", roles[0].name)
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
