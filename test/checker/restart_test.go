package checker

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// drawn is how a Task ends that starts again with others.
var drawn = v1.CompletionStatus{Code: -240, Phrase: "RestartedWithPeers", Type: v1.CompletionType{Name: v1.CompletionFailed,
	Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient}}}

func marked(i int, because string) func(*v1.Framework) {
	return task(i, func(t *v1.TaskStatus) {
		t.AttemptStatus.Restart = &v1.TaskRestart{Scope: v1.RestartRole, TaskRoleName: because, TaskIndex: 0}
	})
}

// next begins the next attempt of a Task.
func next(i int, accountable int32) func(*v1.Framework) {
	return task(i, func(t *v1.TaskStatus) {
		t.State, t.RetryPolicyStatus = v1.AttemptCreationPending, v1.RetryPolicyStatus{TotalRetriedCount: 1, AccountableRetriedCount: accountable}
		t.AttemptStatus = v1.TaskAttemptStatus{ID: 1, PodName: t.AttemptStatus.PodName}
	})
}

// roleRestart has two Tasks: the first fails, and the second restarts along with it.
func roleRestart(because string, peerEnds bool, paid int32) *scene {
	s := newScene(2)
	s.f.Spec.TaskRoles[0].Task.RetryPolicy = v1.RetryPolicySpec{MaxRetryCount: 1, Restart: v1.RestartRole}
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 2)}
	})
	s.createConfigMap()
	s.store(state(v1.AttemptPreparing))
	s.store(decided(0, failure), decided(1, drawn), marked(0, because), marked(1, because))
	s.store(taskState(0, v1.AttemptCompleted))
	if peerEnds {
		s.store(taskState(1, v1.AttemptCompleted))
	}
	s.store(next(0, 1), next(1, paid))
	return s
}

// widened lets a role restart because of its first Task by the role's own policy, which is revoked once the Framework restarts because of
// another role.
func widened(mark v1.TaskRestart) *scene {
	s := newScene(2)
	s.f.Spec.TaskRoles[0].Task.RetryPolicy, s.f.Spec.TaskRoles[0].RetryPolicy = v1.RetryPolicySpec{}, &v1.RoleRetryPolicySpec{MaxRetryCount: 1}
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 2)}
	})
	s.createConfigMap()
	s.store(state(v1.AttemptPreparing))
	restart := func(i int, r v1.TaskRestart) func(*v1.Framework) {
		return task(i, func(t *v1.TaskStatus) { t.AttemptStatus.Restart = &r })
	}
	begun := v1.TaskRestart{Scope: v1.RestartRole, TaskRoleName: "a", ByRole: true}
	s.store(decided(0, failure), decided(1, drawn), restart(0, begun), restart(1, begun))
	s.store(restart(0, mark), restart(1, v1.TaskRestart{Scope: v1.RestartFramework, TaskRoleName: "b"}))
	s.f.Spec.TaskRoles[0].RetryPolicy = nil
	s.store(taskState(0, v1.AttemptCompleted), taskState(1, v1.AttemptCompleted), task(0, func(t *v1.TaskStatus) { t.RetryPolicyStatus.RetryDelaySec = new(int64) }))
	s.store(next(0, 0), next(1, 0), func(f *v1.Framework) { f.Status.AttemptStatus.TaskRoleStatuses[0].RetriedCount = 1 })
	return s
}

func TestRestart(t *testing.T) {
	for what, test := range map[string]struct {
		s    *scene
		says string // empty if nothing is wrong
		want Guarantee
	}{
		"as it is to be":          {roleRestart("a", true, 0), "", ""},
		"because of another role": {roleRestart("b", true, 0), "it starts again because of a Task of role b", Together},
		"one goes on":             {roleRestart("a", false, 0), "it begins, and", Together},
		"widened":                 {widened(v1.TaskRestart{Scope: v1.RestartFramework, TaskRoleName: "a", ByRole: true}), "", ""},
		"an own one is lost":      {widened(v1.TaskRestart{Scope: v1.RestartFramework, TaskRoleName: "b"}), "it has begun", Together},
		"who is drawn along pays": {roleRestart("a", true, 1), "the retry after -240 RestartedWithPeers was counted: true", Counters},
	} {
		var told []string
		for _, v := range Check(test.s.h, Options{}).Violations {
			if v.Guarantee == Together || v.Guarantee == Counters {
				told = append(told, string(v.Guarantee)+" "+v.String())
			}
		}
		all := strings.Join(told, "\n")
		if test.says == "" && all != "" || !strings.Contains(all, test.says) || !strings.Contains(all, string(test.want)) {
			t.Errorf("%s: got %q, want %s %q", what, all, test.want, test.says)
		}
	}
}

// roleRetry lets a role restart because a Task has no retry of its own.
func roleRetry(most, counted, paid int32) *scene {
	s := newScene(2)
	s.f.Spec.TaskRoles[0].Task.RetryPolicy, s.f.Spec.TaskRoles[0].RetryPolicy = v1.RetryPolicySpec{}, &v1.RoleRetryPolicySpec{MaxRetryCount: most}
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 2)}
	})
	s.createConfigMap()
	s.store(state(v1.AttemptPreparing))
	s.store(decided(0, failure), decided(1, drawn), marked(0, "a"), marked(1, "a"))
	s.store(taskState(0, v1.AttemptCompleted))
	s.store(taskState(1, v1.AttemptCompleted))
	s.store(next(0, paid), next(1, 0), func(f *v1.Framework) { f.Status.AttemptStatus.TaskRoleStatuses[0].RetriedCount = counted })
	return s
}

func TestRoleRetries(t *testing.T) {
	for what, test := range map[string]struct {
		s    *scene
		says string // empty if nothing is wrong
	}{
		"as it is to be":          {roleRetry(2, 1, 0), ""},
		"without limit":           {roleRetry(-1, 1, 0), ""},
		"it is not counted":       {roleRetry(2, 0, 0), "against its policy"},
		"it is counted twice":     {roleRetry(2, 2, 0), "role a went from 0 to 2 retries"},
		"the role has no retries": {roleRetry(0, 1, 0), "role a went from 0 to 1 retries"},
		"the Task pays as well":   {roleRetry(2, 1, 1), "was counted: true"},
	} {
		var told []string
		for _, v := range Check(test.s.h, Options{}).Violations {
			if v.Guarantee == Together || v.Guarantee == Counters {
				told = append(told, v.String())
			}
		}
		if all := strings.Join(told, "\n"); test.says == "" && all != "" || !strings.Contains(all, test.says) {
			t.Errorf("%s: got %q, want %q", what, all, test.says)
		}
	}
}

func TestRetryTableOfAdditions(t *testing.T) {
	budget := v1.RetryPolicySpec{MaxRetryCount: 5, Budgets: []v1.RetryBudgetSpec{{Code: new(int32(9)), MaxRetryCount: 1}}}
	used := v1.RetryPolicyStatus{Budgets: []v1.RetryBudgetStatus{{Cause: "code=9", RetriedCount: 1}}}
	failed := ending{CompletionStatus: v1.CompletionStatus{Code: 9, Type: v1.CompletionType{Name: v1.CompletionFailed}}}
	givenUp := failed
	givenUp.advice = &v1.RetryAdvice{GiveUpAttempt: true}
	for what, got := range map[string][2]bool{
		"a budget that is left": pair(retryTable(budget, v1.RetryPolicyStatus{}, failed)),
		"a restart":             pair(retryTable(v1.RetryPolicySpec{}, v1.RetryPolicyStatus{}, ending{CompletionStatus: drawn})),
	} {
		if got != [2]bool{true, false} {
			t.Errorf("%s: retry and accountable are %v", what, got)
		}
	}
	for what, got := range map[string][2]bool{
		"a budget that is used up": pair(retryTable(budget, used, failed)),
		"given up":                 pair(retryTable(v1.RetryPolicySpec{MaxRetryCount: -1}, v1.RetryPolicyStatus{}, givenUp)),
	} {
		if got[0] {
			t.Errorf("%s: it is retried", what)
		}
	}
}

func pair(retry, accountable bool) [2]bool { return [2]bool{retry, accountable} }
