package coscheduling

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// labelGroup is how a Pod names its group.
const labelGroup = "scheduling.x-k8s.io/pod-group"

// New returns the plugin.
func New() plugin.Plugin {
	return gang.Scheduler[settings]{Name: "coscheduling", Version: "1.0.0", FrameworkParameters: frameworkParameters, Read: read, Plan: plan}.Plugin()
}

// plan has no opinion on a Framework without Tasks.
func plan(s settings, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	if gang.Total(q.GetRoles()) == 0 && q.GetPrevious() == nil {
		return nil, nil
	}
	if err := check(s, q); err != nil {
		return nil, err
	}
	answer := &pluginpb.HintResponse{FollowTasks: true}
	var err error
	if answer.Objects, err = s.objects(q); err != nil {
		return nil, err
	}
	for _, role := range q.GetRoles() {
		answer.Patches = append(answer.Patches, &pluginpb.PodPatch{
			TaskRole:          role.GetName(),
			SchedulerName:     s.SchedulerName,
			PriorityClassName: q.GetScheduling().GetPriorityClassName(), // the group has none of its own
			Labels:            map[string]string{labelGroup: groupName(q.GetFramework())},
		})
	}
	return answer, nil
}

// check returns an error for a setting that the scheduler does not support.
func check(s settings, q *pluginpb.HintRequest) error {
	f := q.GetFramework()
	if problems := validation.IsDNS1123Subdomain(groupName(f)); len(problems) > 0 {
		return fmt.Errorf("the Framework's name %q cannot be part of a PodGroup's: %s", f.GetName(), problems[0])
	}
	// It sorts Pods by their priority first, and waits for a whole group: with several, two gangs can wait for each other.
	_, priorities := gang.PriorityClass(q.GetScheduling(), q.GetRoles())
	return errors.Join(gang.NoQueue(q.GetScheduling(), s.IgnoreQueue), gang.NoTopology(q.GetScheduling()), priorities, oneMinimum(q))
}

// oneMinimum returns an error if the gang's minimum depends on roles: a group has one minimum, for Pods of any role.
func oneMinimum(q *pluginpb.HintRequest) error {
	byRole, err := gang.ByRole(q.GetScheduling(), q.GetRoles())
	if err == nil && byRole {
		return errors.New("scheduling.gang.perRole: a PodGroup has one minimum of all Pods together, and none of single roles; " +
			"take perRole out, or have all Tasks be the gang")
	}
	return err
}
