package consult

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// HintRequest returns the question how to present the Pods of an attempt of that scale to a scheduler. Its previous answer is
// the stored one, if the attempt has any. An error is an ErrBadTemplate, or describes invalid stored hints.
func HintRequest(about *pluginpb.Framework, spec *v1.FrameworkSpec, saved *lifecycle.State, scale string) (*pluginpb.HintRequest, error) {
	stored, err := DecodeHints(saved.Framework().AttemptStatus.SchedulerHints)
	if err != nil {
		return nil, err
	}
	q := &pluginpb.HintRequest{
		Framework:   about,
		Previous:    stored.Answer,
		Scheduling:  scheduling(spec, saved),
		RetryPolicy: retryPolicy(spec.RetryPolicy),
	}
	if run := saved.Framework().AttemptStatus.RunTime; run != nil && lifecycle.ScaleStarted(scale) {
		q.Started = timestamppb.New(run.Time)
	}
	q.Roles, err = roleShapes(spec, saved)
	return q, err
}

// MayCreateRequest returns the question whether Pods of the attempt may be created, without the objects of the stored hints.
// An error is an ErrBadTemplate.
func MayCreateRequest(about *pluginpb.Framework, spec *v1.FrameworkSpec, saved *lifecycle.State) (*pluginpb.MayCreateRequest, error) {
	roles, err := roleShapes(spec, saved)
	return &pluginpb.MayCreateRequest{
		Framework:  about,
		Admitted:   len(saved.Framework().AttemptStatus.SchedulerHints.Admission) > 0,
		Roles:      roles,
		Scheduling: scheduling(spec, saved),
	}, err
}

func roleShapes(spec *v1.FrameworkSpec, saved *lifecycle.State) ([]*pluginpb.RoleShape, error) {
	var out []*pluginpb.RoleShape
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		shape, err := RoleShape(role)
		if err != nil && role.TaskNumber == 0 {
			shape, err = &pluginpb.RoleShape{Name: role.Name}, nil // its template does not matter yet
		}
		if err != nil {
			return nil, err
		}
		number, completed := lifecycle.TasksAtOnce(role, saved.Completed(role.Name))
		shape.TaskNumber, shape.CompletedTaskCount = int32(number), int32(completed)
		if saved.Framework().Gates.HeldBack(role) {
			shape.TaskNumber, shape.LaterTaskNumber = 0, shape.TaskNumber
		}
		if shape.RaisedTasks, err = raisedTasks(role, saved); err != nil {
			return nil, err
		}
		shape.RetryPolicy = taskRetryPolicy(role.Task.RetryPolicy)
		shape.MinTaskCount = minOfRole(spec, role.Name, shape.TaskNumber, shape.CompletedTaskCount)
		out = append(out, shape)
	}
	return out, nil
}

func retryPolicy(p v1.RetryPolicySpec) *pluginpb.RetryPolicy {
	return &pluginpb.RetryPolicy{FancyRetryPolicy: p.FancyRetryPolicy, MaxRetryCount: p.MaxRetryCount}
}

// taskRetryPolicy includes the scope of restarts.
func taskRetryPolicy(p v1.RetryPolicySpec) *pluginpb.RetryPolicy {
	out := retryPolicy(p)
	switch p.Restart {
	case v1.RestartRole:
		out.Restart = pluginpb.RestartScope_RESTART_SCOPE_ROLE
	case v1.RestartFramework:
		out.Restart = pluginpb.RestartScope_RESTART_SCOPE_FRAMEWORK
	default:
		out.Restart = pluginpb.RestartScope_RESTART_SCOPE_TASK
	}
	return out
}
