package yunikorn

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// Version is recorded with every answer.
const Version = "1.0.0"

// New returns the plugin. Questions bring its parameters, so it keeps none.
func New() plugin.Plugin {
	configure := func(_ string, s *structpb.Struct) error {
		_, err := read(s)
		return err
	}
	return plugin.Plugin{Version: Version, Configure: configure, FrameworkParameters: frameworkParameters, SchedulerHints: plugin.HintsFunc(hint)}
}

// hint has no opinion on a Framework without Tasks.
func hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	answer, err := plan(q)
	if err != nil {
		return &pluginpb.HintResponse{Refusal: "YuniKorn: " + err.Error()}, nil
	}
	return answer, nil
}

// plan returns an error if YuniKorn cannot schedule the Framework as it is, for its author.
func plan(q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	s, err := read(q.GetParameters())
	if err != nil {
		return nil, err
	}
	before, known := applicationIn(q.GetPrevious())
	if !known && gang.Total(q.GetRoles()) == 0 {
		return nil, nil
	}
	app := before
	if !known {
		if app, err = s.applicationOf(q); err != nil {
			return nil, err
		}
	}
	answer := &pluginpb.HintResponse{}
	for _, role := range q.GetRoles() {
		p := app.patch(role.GetName())
		p.SchedulerName, p.PriorityClassName = s.SchedulerName, q.GetScheduling().GetPriorityClassName()
		answer.Patches = append(answer.Patches, p)
	}
	if size := len(protojson.Format(answer)); size > maxAnswer {
		return nil, fmt.Errorf("the hints for %d task roles take %d bytes, and at most %d can be stored, as every Pod has all task groups: "+
			"use fewer roles", len(q.GetRoles()), size, maxAnswer)
	}
	return answer, nil
}

// maxAnswer is how many bytes of JSON the status has for hints. Format writes more than that is stored, as it indents.
const maxAnswer = 64 << 10

// applicationOf is that of a new attempt.
func (s settings) applicationOf(q *pluginpb.HintRequest) (application, error) {
	f := q.GetFramework()
	app := application{
		// Names of Frameworks have no "-", so this is not that of another in another namespace.
		id:     gang.LabelValue(f.GetNamespace()+"-"+f.GetName(), f.GetAttemptId()),
		queue:  cmp.Or(q.GetScheduling().GetQueue(), s.Queue),
		policy: s.policy(q.GetScheduling()),
	}
	if problems := validation.IsValidLabelValue(app.id); len(problems) > 0 {
		return application{}, fmt.Errorf("the Framework's name %q cannot be part of an application's: %s", f.GetName(), problems[0])
	}
	groups, err := taskGroupsOf(q)
	if err := errors.Join(gang.NoTopology(q.GetScheduling()), err); err != nil {
		return application{}, err
	}
	return app, app.setGroups(groups)
}
