package lifecycle_test

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// mostFailures is more often than any Pod of a schedule with limited retries can fail, one after the other.
const mostFailures = 100

// lawLimitedRetries: if every Pod fails, a running Framework whose policies all limit their retries completes, unless something else than
// a failure keeps Tasks waiting.
func (c *checker) lawLimitedRetries(tell func(...command)) {
	state := c.story.Stored()
	if state == nil || state.Framework().State != v1.AttemptRunning || !limitsRetries(c.spec) {
		return
	}
	for range mostFailures {
		pods := c.story.Pods()
		for _, pod := range pods {
			tell(command{line: "exit " + pod.Task.String() + " 9"})
		}
		tell(command{line: "run"}, command{line: "advance 20m"}, command{line: "run"})
		before := state
		if state = c.story.Stored(); state == nil || state.Framework().State == v1.Completed {
			return
		}
		if len(pods) == 0 && state == before {
			break
		}
	}
	waiting := state.Framework().Waiting
	waits := waiting != nil && waiting.Reason == string(reason.ItemsNotReady) // the next attempt needs them
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		waits = waits || heldBack(c.spec, state.Framework().Gates, ref.Role) || c.lacksItem(ref) || c.waitsForRemoval(ref, task)
	})
	wanted := 0
	for i := range c.spec.TaskRoles {
		wanted += int(c.spec.TaskRoles[i].TaskNumber)
	}
	if !waits && wanted > 0 && taskNumber(state) == wanted { // otherwise there are Tasks that the controller has no room for
		c.violationf("limited retries end", "%s", text(state.Status()))
	}
}

// limitsRetries reports whether no policy retries without a limit.
func limitsRetries(spec *v1.FrameworkSpec) bool {
	unlimited := func(p v1.RetryPolicySpec) bool {
		return p.MaxRetryCount < 0 || slices.ContainsFunc(p.Budgets, func(b v1.RetryBudgetSpec) bool { return b.MaxRetryCount < 0 })
	}
	return !unlimited(spec.RetryPolicy) && !slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool {
		return unlimited(r.Task.RetryPolicy) || r.RetryPolicy != nil && r.RetryPolicy.MaxRetryCount < 0
	})
}
