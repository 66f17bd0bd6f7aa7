package volcano

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// Keys of Volcano.
const (
	annotationGroup = "scheduling.k8s.io/group-name"
	annotationTask  = "volcano.sh/task-spec"
)

// New returns the plugin.
func New() plugin.Plugin {
	return gang.Scheduler[settings]{Name: "Volcano", Version: "1.0.0", FrameworkParameters: frameworkParameters, Read: read, Plan: plan, MayCreate: mayCreate}.Plugin()
}

// plan has no opinion on a Framework without a queue, but a warning if it is a gang.
func plan(s settings, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
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
		Objects: []*pluginpb.Object{gang.Object(group)},
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
	return answer, gang.CheckSize(answer, "reduce the number of TaskRoles")
}

// noQueue is the warning for a gang that no plugin takes: its Pods are placed one by one then.
const noQueue = "spec.scheduling.gang is not Volcano's without a queue, so its Pods are placed one by one, by the scheduler of their template: " +
	"name one in spec.scheduling.queue, or have one put into the parameter queue"

// isIdle reports that there is nothing to schedule yet; a rescale asks again. An existing group stays.
func isIdle(q *pluginpb.HintRequest) bool {
	return gang.Total(q.GetRoles()) == 0 && len(q.GetPrevious().GetObjects()) == 0
}
