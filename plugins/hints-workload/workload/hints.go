package workload

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

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
		return &pluginpb.HintResponse{Refusal: "pod groups: " + err.Error()}, nil
	}
	return answer, nil
}

// plan returns an error if the cluster cannot schedule the Framework as it is, for its author.
func plan(q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	s, err := read(q.GetParameters())
	if err != nil {
		return nil, err
	}
	a := attempt{question: q}
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
	answer := &pluginpb.HintResponse{Patches: a.patches(), FollowTasks: a.form.onUpdate != pluginpb.Object_KEEP}
	if answer.Objects, err = a.objects(); err != nil {
		return nil, err
	}
	if size := len(protojson.Format(answer)); size > maxAnswer {
		return nil, fmt.Errorf("the hints take %d bytes, and at most %d can be stored: start another attempt to begin with one group again", size, maxAnswer)
	}
	return answer, nil
}

// maxAnswer is how many bytes of JSON the status has for hints. Format writes more than that is stored, as it indents.
const maxAnswer = 64 << 10

// attempt is what is asked about, and how far its groups are known.
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
			return fmt.Errorf("task role %s: schedulerName is %s, and of another role it is %s; a gang has one scheduler: give all roles the same",
				role.GetName(), name, first)
		}
		first = name
	}
	return nil
}
