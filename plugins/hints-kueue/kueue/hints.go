package kueue

import (
	"cmp"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// New returns the plugin.
func New() plugin.Plugin {
	return gang.Scheduler[settings]{Name: "Kueue", Version: "1.0.0", FrameworkParameters: frameworkParameters, Read: read, Plan: plan, MayCreate: mayCreate}.Plugin()
}

// plan has no opinion on a Framework without a queue, but a warning if it is a gang.
func plan(s settings, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	s.Queue = cmp.Or(q.GetScheduling().GetQueue(), s.Queue)
	if s.Queue == "" {
		return withoutQueue(q), nil
	}
	if err := checkPods(q.GetRoles()); err != nil {
		return nil, err
	}
	earlier, err := workloadsIn(q.GetPrevious())
	if err != nil {
		return nil, err
	}
	answer := &pluginpb.HintResponse{Wait: true, Watch: true, FollowTasks: true, FollowStart: true}
	told := toldIn(q.GetPrevious())
	for _, w := range stillWanted(earlier, q.GetRoles()) {
		o := w.object()
		o.StatusJson = w.toldOf(q, told[w.Metadata.Name])
		answer.Objects = append(answer.Objects, o)
	}
	if added := uncovered(earlier, q.GetRoles()); len(added) > 0 {
		w, err := s.workloadFor(q, nextName(q.GetFramework(), earlier), added, len(earlier) > 0)
		if err != nil {
			return nil, err
		}
		answer.Objects = append(answer.Objects, w.object())
	}
	if len(answer.Objects) == 0 {
		return nil, nil // there is nothing to schedule yet; a rescale asks again
	}
	return answer, gang.CheckSize(answer, "reduce the number of TaskRoles")
}

// withoutQueue returns no opinion. If the Framework has a gang, it warns that Kueue ignores the gang. The warning is shown only if no other
// plugin takes the gang.
func withoutQueue(q *pluginpb.HintRequest) *pluginpb.HintResponse {
	if q.GetScheduling().GetGang() == nil || gang.Total(q.GetRoles()) == 0 {
		return nil
	}
	return &pluginpb.HintResponse{Warnings: []string{"spec.scheduling.gang is not Kueue's without a queue, so its Pods wait for no quota, and are placed one by one, " +
		"by the scheduler of their template: name one in spec.scheduling.queue, or have one put into the parameter queue"}}
}

// labelQueue hands a Pod to Kueue.
const labelQueue = "kueue.x-k8s.io/queue-name"

// checkPods: a Pod that Kueue knows of itself would wait for quota twice.
func checkPods(roles []*pluginpb.RoleShape) error {
	for _, role := range roles {
		if _, found := role.GetTemplateLabels()[labelQueue]; found {
			return fmt.Errorf("role %s: its Pods have the label %s, so Kueue would admit each Pod by itself; remove the label, and set spec.scheduling.queue",
				role.GetName(), labelQueue)
		}
	}
	return nil
}
