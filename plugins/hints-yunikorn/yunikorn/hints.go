package yunikorn

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// New returns the plugin.
func New() plugin.Plugin {
	return gang.Scheduler[settings]{Name: "YuniKorn", Version: "1.0.0", FrameworkParameters: frameworkParameters, Read: read, Plan: plan}.Plugin()
}

// plan has no opinion on a Framework without Tasks.
func plan(s settings, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	before, known := applicationIn(q.GetPrevious())
	if !known && gang.Total(q.GetRoles()) == 0 {
		return nil, nil
	}
	if known {
		answer := s.answer(q, before)
		return answer, gang.CheckSize(answer, fewerRoles)
	}
	app, err := s.applicationOf(q, gang.Sizes)
	if err != nil {
		return nil, err
	}
	answer := s.answer(q, app)
	if gang.CheckSize(answer, fewerRoles) == nil {
		return answer, nil
	}
	if app, err = s.applicationOf(q, gang.Largest); err != nil {
		return nil, err
	}
	answer = s.answer(q, app)
	return answer, gang.CheckSize(answer, fewerRoles)
}

const fewerRoles = "every Pod has all task groups, so reduce the number of TaskRoles"

func (s settings) answer(q *pluginpb.HintRequest, app application) *pluginpb.HintResponse {
	answer := &pluginpb.HintResponse{}
	for _, role := range q.GetRoles() {
		for _, p := range app.patches(role.GetName()) {
			p.SchedulerName, p.PriorityClassName = s.SchedulerName, q.GetScheduling().GetPriorityClassName()
			answer.Patches = append(answer.Patches, p)
		}
	}
	return answer
}

// applicationOf returns the application of a new attempt.
func (s settings) applicationOf(q *pluginpb.HintRequest, sizes gang.Sizing) (application, error) {
	f := q.GetFramework()
	app := application{
		// Names of Frameworks contain no "-", so no Framework in another namespace gets the same id.
		id:     gang.LabelValue(f.GetNamespace()+"-"+f.GetName(), f.GetAttemptId()),
		queue:  cmp.Or(q.GetScheduling().GetQueue(), s.Queue),
		policy: s.policy(q.GetScheduling()),
	}
	if problems := validation.IsValidLabelValue(app.id); len(problems) > 0 {
		return application{}, fmt.Errorf("the Framework's name %q cannot be part of an application's: %s", f.GetName(), problems[0])
	}
	groups, raised, err := taskGroupsOf(q, sizes)
	if err := errors.Join(gang.NoTopology(q.GetScheduling()), err); err != nil {
		return application{}, err
	}
	app.raised = raised
	return app, app.setGroups(groups)
}
