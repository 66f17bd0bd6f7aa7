package consult

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// RoleProgress describes the progress of a role's Tasks to a completion policy. The status has whole seconds; exact returns
// the completion time of a Task, as exactly as it is known.
func RoleProgress(spec *v1.TaskRoleSpec, saved *lifecycle.State, exact func(lifecycle.TaskRef, time.Time) time.Time) *pluginpb.RoleProgress {
	out := &pluginpb.RoleProgress{
		Name:                  spec.Name,
		TaskNumber:            spec.TaskNumber,
		MinFailedTaskCount:    spec.FrameworkAttemptCompletionPolicy.MinFailedTaskCount,
		MinSucceededTaskCount: spec.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount,
	}
	for role, tasks := range saved.EachRole {
		if role.Name != spec.Name {
			continue
		}
		for _, t := range tasks {
			if t.State == v1.Completed && !t.DeletionPending {
				done := completedTask(t)
				if t.CompletionTime != nil {
					ref := lifecycle.TaskRef{Role: role.Name, Index: t.Index}
					done.CompletionTime = timestamppb.New(exact(ref, t.CompletionTime.Time))
				}
				out.Completed = append(out.Completed, done)
			}
		}
	}
	return out
}

func completedTask(t *v1.TaskStatus) *pluginpb.CompletedTask {
	verdict := podverdict.Earlier(t.AttemptStatus.CompletionStatus.CompletionStatus)
	out := &pluginpb.CompletedTask{Index: t.Index, Code: verdict.Code, Phrase: verdict.Phrase, Type: verdict.Type}
	if node := t.AttemptStatus.PodNodeName; node != nil {
		out.Node = *node
	}
	return out
}
