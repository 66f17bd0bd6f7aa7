package kubectl

import (
	"context"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/ended"
)

// explainPast returns the answer about an ended attempt of a Framework, or about a role or a Task in it.
func (f *found) explainPast(ctx context.Context, about target) (answer explain.Answer, at time.Time, err error) {
	a := f.attempt
	switch {
	case about.role == "" && a.TriggerRole != "" && a.TriggerIndex != nil:
		err = f.past.detailed(ctx, a, a.TriggerRole, *a.TriggerIndex)
	case about.index >= 0:
		err = f.past.detailed(ctx, a, about.role, about.index)
	case about.role != "":
		err = f.detailedFailure(ctx, about.role)
	}
	if err != nil {
		return answer, at, err
	}
	facts := a.Facts(f.gone(), time.Now())
	switch {
	case about.role == "":
		first, err := f.past.firstFailure(ctx, a)
		if err != nil {
			return answer, at, err
		}
		facts.First = ended.FirstFailure(first)
		answer = explain.PastFramework(facts)
	case about.index < 0:
		answer = explain.PastRole(facts, about.role)
	default:
		answer = explain.PastTaskOf(facts, about.role, about.index)
	}
	return answer, facts.Now, nil
}

// detailedFailure reads the containers of the first Task of a role that has failed.
func (f *found) detailedFailure(ctx context.Context, role string) error {
	for _, r := range f.attempt.Roles() {
		for i := range r.TaskStatuses {
			if r.Name == role && explain.StandingOf(&r.TaskStatuses[i]) == explain.Failed {
				return f.past.detailed(ctx, f.attempt, role, r.TaskStatuses[i].Index)
			}
		}
	}
	return nil
}
