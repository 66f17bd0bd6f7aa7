package volcano

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// Version is recorded with every answer.
const Version = "1.0.0"

// Keys of Volcano.
const (
	annotationGroup = "scheduling.k8s.io/group-name"
	annotationTask  = "volcano.sh/task-spec"
)

// hints keeps nothing: each question brings its parameters.
type hints struct{}

// New returns the plugin.
func New() plugin.Plugin {
	configure := func(_ string, s *structpb.Struct) error {
		_, err := read(s)
		return err
	}
	return plugin.Plugin{Version: Version, Configure: configure, FrameworkParameters: frameworkParameters, SchedulerHints: hints{}}
}

// Hint implements plugin.SchedulerHints.
func (hints) Hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	answer, err := plan(q)
	if err != nil {
		return &pluginpb.HintResponse{Refusal: "Volcano: " + err.Error()}, nil
	}
	return answer, nil
}

// plan returns an error if Volcano cannot schedule the Framework, for the author of the Framework.
func plan(q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	s, err := read(q.GetParameters())
	if err != nil {
		return nil, err
	}
	queue := s.queueOf(q.GetScheduling())
	switch {
	case isIdle(q):
		return nil, nil
	case queue == "" && q.GetScheduling().GetGang() != nil:
		return &pluginpb.HintResponse{Warnings: []string{noQueue}}, nil
	case queue == "":
		return nil, nil
	}
	group, err := s.groupOf(q, queue)
	if err != nil {
		return nil, err
	}
	answer := &pluginpb.HintResponse{
		Objects: []*pluginpb.Object{group.object()},
		Wait:    true, Watch: true, Events: true, FollowTasks: true,
		Warnings: preemptionWarnings(q.GetRoles()),
	}
	for _, role := range q.GetRoles() {
		answer.Patches = append(answer.Patches, &pluginpb.PodPatch{
			TaskRole:      role.GetName(),
			SchedulerName: s.SchedulerName,
			Annotations:   map[string]string{annotationGroup: group.Metadata.Name, annotationTask: role.GetName()},
		})
	}
	return answer, gang.CheckSize(answer)
}

// noQueue is told of a gang that no other plugin takes either, as its Pods are placed one by one then.
const noQueue = "spec.scheduling.gang is not Volcano's without a queue, so its Pods are placed one by one, by the scheduler of their template: " +
	"name one in spec.scheduling.queue, or have one put into the parameter queue"

// isIdle reports that there is nothing to schedule yet; a rescale asks again. A group that is there already stays.
func isIdle(q *pluginpb.HintRequest) bool {
	return gang.Total(q.GetRoles()) == 0 && len(q.GetPrevious().GetObjects()) == 0
}
