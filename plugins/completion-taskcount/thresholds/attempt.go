package thresholds

import (
	"iter"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// attempt is the attempt in a question, with its Tasks counted.
type attempt struct {
	roles  []*pluginpb.RoleProgress
	counts []taskcount.Role
}

func attemptIn(q *pluginpb.DecideRequest) attempt {
	a := attempt{roles: q.GetRoles()}
	for _, role := range a.roles {
		a.counts = append(a.counts, counted(role))
	}
	return a
}

func counted(role *pluginpb.RoleProgress) taskcount.Role {
	out := taskcount.Role{
		Wanted:       int(role.GetTaskNumber()),
		MinFailed:    role.GetMinFailedTaskCount(),
		MinSucceeded: role.GetMinSucceededTaskCount(),
	}
	for _, t := range role.GetCompleted() {
		switch t.GetType().GetName() {
		case succeeded:
			out.Succeeded++
		case failed:
			out.Failed++
		}
	}
	return out
}

// The types of completed Tasks. A Task of another type is ignored.
const (
	succeeded = "Succeeded"
	failed    = "Failed"
)

// RoleNumber implements taskcount.Attempt.
func (a attempt) RoleNumber() int { return len(a.roles) }

// Role implements taskcount.Attempt.
func (a attempt) Role(role int) taskcount.Role { return a.counts[role] }

// Completed implements taskcount.Attempt.
func (a attempt) Completed(role int) iter.Seq[taskcount.Task] {
	return func(yield func(taskcount.Task) bool) {
		for _, t := range a.roles[role].GetCompleted() {
			kind := t.GetType().GetName()
			if kind != succeeded && kind != failed {
				continue
			}
			if !yield(taskcount.Task{Index: t.GetIndex(), Succeeded: kind == succeeded, CompletionTime: completionTime(t)}) {
				return
			}
		}
	}
}

func completionTime(t *pluginpb.CompletedTask) time.Time {
	if t.GetCompletionTime() == nil {
		return time.Time{}
	}
	return t.GetCompletionTime().AsTime()
}
