package workload

import (
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// New returns the plugin.
func New() plugin.Plugin {
	return gang.Scheduler[settings]{Name: "pod groups", Version: "1.0.0", FrameworkParameters: frameworkParameters, Read: read, Plan: plan}.Plugin()
}

// plan has no opinion on a Framework without Tasks.
func plan(s settings, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	a := attempt{question: q}
	var err error
	if a.workloads, err = a.restore(); err != nil {
		return nil, err
	}
	if len(a.workloads) == 0 && gang.Total(q.GetRoles()) == 0 {
		return nil, nil
	}
	if len(a.workloads) == 0 {
		if a.form, err = s.chooseForm(q.GetGroupVersions()); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(gang.NoQueue(q.GetScheduling(), s.IgnoreQueue), oneScheduler(q.GetRoles())); err != nil {
		return nil, err
	}
	if err := a.regroup(); err != nil {
		return nil, err
	}
	answer := &pluginpb.HintResponse{Patches: a.patches(), FollowTasks: a.form.onUpdate != pluginpb.Object_KEEP, Objects: a.objects()}
	return answer, gang.CheckSize(answer, "start another attempt to begin with one group again")
}

// attempt has the question, and the groups that are known so far.
type attempt struct {
	question  *pluginpb.HintRequest
	form      form
	workloads []workload
}

// oneScheduler: a scheduler places the Pods of a group only if they are all for it.
func oneScheduler(roles []*pluginpb.RoleShape) error {
	first := ""
	for _, role := range roles {
		name := role.GetSchedulerName()
		if name == "" {
			name = "default-scheduler"
		}
		if gang.Left(role) == 0 {
			continue
		}
		if first != "" && name != first {
			return fmt.Errorf("role %s: schedulerName is %s, and another role has %s; a gang has one scheduler: give all roles the same",
				role.GetName(), name, first)
		}
		first = name
	}
	return nil
}
