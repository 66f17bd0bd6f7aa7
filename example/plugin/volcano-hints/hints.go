package main

import (
	"cmp"
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// settings are the parameters of the configuration, overlaid by those of the Framework.
type settings struct {
	// Queue is one of Volcano's. Empty means that the Framework is not for Volcano.
	Queue string `json:"queue"`
	// SchedulerName is what Volcano is called in this cluster; empty means volcano.
	SchedulerName string `json:"schedulerName"`
}

// volcano keeps nothing: each question brings its parameters.
type volcano struct{}

func newPlugin() plugin.Plugin {
	configure := func(_ string, parameters *structpb.Struct) error { return plugin.Decode(parameters, &settings{}) }
	return plugin.Plugin{Version: "1.0.0", Configure: configure, SchedulerHints: volcano{}}
}

// Hint implements plugin.SchedulerHints.
func (volcano) Hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	s := settings{}
	if err := plugin.Decode(q.GetParameters(), &s); err != nil {
		return &pluginpb.HintResponse{Refusal: err.Error()}, nil
	}
	if s.Queue == "" {
		return nil, nil
	}
	group, err := groupOf(q, s.Queue)
	if err != nil {
		return &pluginpb.HintResponse{Refusal: err.Error()}, nil
	}
	if group.Spec.MinMember == 0 {
		return nil, nil // there is nothing to schedule yet; a rescale asks again
	}
	answer := &pluginpb.HintResponse{Objects: []*pluginpb.Object{group.object()}, Wait: true}
	for _, role := range q.GetRoles() {
		answer.Patches = append(answer.Patches, &pluginpb.PodPatch{
			TaskRole:      role.GetName(),
			SchedulerName: cmp.Or(s.SchedulerName, "volcano"),
			Annotations:   map[string]string{"scheduling.k8s.io/group-name": group.Metadata.Name, "volcano.sh/task-spec": role.GetName()},
		})
	}
	return answer, nil
}

// MayCreate implements plugin.Waiter. Volcano admits a group when its queue has room for it; thousands of Pods that only
// wait would slow down the cluster.
func (volcano) MayCreate(_ context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	group, err := read(q.GetObjects())
	switch {
	case err != nil:
		return nil, err
	case group == nil:
		return &pluginpb.MayCreateResponse{Reason: "the PodGroup was deleted; stop the Framework and create it again"}, nil
	case group.Status.Phase == "" || group.Status.Phase == "Pending":
		reason := fmt.Sprintf("PodGroup %s waits in queue %s", group.Metadata.Name, group.Spec.Queue)
		return &pluginpb.MayCreateResponse{Reason: reason}, nil
	}
	return &pluginpb.MayCreateResponse{Yes: true}, nil
}
