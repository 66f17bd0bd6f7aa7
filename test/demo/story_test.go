package main

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// moment is a status in few words: an attempt, and for each role its Tasks.
type moment struct {
	state   v1.State
	attempt int32
	end     *v1.FrameworkAttemptCompletionStatus
	waiting string
	roles   map[string][]v1.TaskStatus
}

func (m moment) framework() *v1.Framework {
	s := &v1.FrameworkStatus{State: m.state}
	s.AttemptStatus.ID, s.AttemptStatus.CompletionStatus = m.attempt, m.end
	for _, name := range []string{"server", "worker"} {
		tasks := m.roles[name]
		for i := range tasks {
			tasks[i].Index = int32(i)
		}
		s.AttemptStatus.TaskRoleStatuses = append(s.AttemptStatus.TaskRoleStatuses, v1.TaskRoleStatus{Name: name, TaskStatuses: tasks})
	}
	if m.waiting != "" {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: m.waiting, Message: "why"})
	}
	return &v1.Framework{Status: s}
}

func taskIn(state v1.State, attempt int32) v1.TaskStatus {
	return v1.TaskStatus{State: state, AttemptStatus: v1.TaskAttemptStatus{ID: attempt}}
}

func withCode(task v1.TaskStatus, s v1.CompletionStatus) v1.TaskStatus {
	task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: s}
	return task
}

func counted(task v1.TaskStatus, total, accountable int32) v1.TaskStatus {
	task.RetryPolicyStatus.TotalRetriedCount, task.RetryPolicyStatus.AccountableRetriedCount = total, accountable
	return task
}

var (
	success = v1.CompletionStatus{Phrase: "Succeeded", Type: v1.CompletionType{Name: v1.CompletionSucceeded}}
	passing = v1.CompletionStatus{Code: 200, Phrase: "ContainerTransientFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	unknown = v1.CompletionStatus{Code: 1, Phrase: completion.PhraseContainerUnrecognizedFailed, Type: v1.CompletionType{Name: v1.CompletionFailed}}
	cut     = v1.CompletionStatus{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: v1.CompletionType{Name: v1.CompletionFailed}}
)

func tellAll(moments ...moment) string {
	var b strings.Builder
	s := story{}
	for _, m := range moments {
		for _, l := range s.update(m.framework()) {
			if len(l.who) > 0 {
				l.text = listed(l.who) + " " + agreeing(l.text, len(l.who))
			}
			fmt.Fprintln(&b, strings.TrimSpace(l.text+". "+l.why))
		}
		if m.state != "" {
			fmt.Fprintln(&b, s.counts())
		}
	}
	return b.String()
}

// A retry, a success that ends the attempt, and servers that are cut short are reported in that order, and each Task is counted once.
func TestStory(t *testing.T) {
	run, done, deleting := v1.AttemptRunning, v1.Completed, v1.AttemptDeletionPending
	two := func(a, b v1.TaskStatus) []v1.TaskStatus { return []v1.TaskStatus{a, b} }
	got := tellAll(
		moment{},
		moment{state: v1.AttemptPreparing, roles: map[string][]v1.TaskStatus{
			"server": two(taskIn(run, 0), taskIn(run, 0)), "worker": two(taskIn(v1.AttemptPreparing, 0), taskIn(run, 0))}},
		moment{state: run, roles: map[string][]v1.TaskStatus{
			"server": two(taskIn(run, 0), taskIn(run, 0)), "worker": two(taskIn(run, 0), withCode(taskIn(deleting, 0), passing))}},
		moment{state: run, roles: map[string][]v1.TaskStatus{
			"server": two(taskIn(run, 0), taskIn(run, 0)), "worker": two(taskIn(run, 0), counted(taskIn(v1.AttemptPreparing, 1), 1, 0))}},
		moment{state: deleting,
			end: &v1.FrameworkAttemptCompletionStatus{CompletionStatus: success, Trigger: &v1.CompletionTrigger{Message: "enough", TaskRoleName: "worker", TaskIndex: 1}},
			roles: map[string][]v1.TaskStatus{
				"server": two(withCode(taskIn(deleting, 0), cut), withCode(taskIn(deleting, 0), cut)),
				"worker": two(withCode(taskIn(done, 0), success), withCode(counted(taskIn(done, 1), 1, 0), success))}},
		moment{state: done,
			end: &v1.FrameworkAttemptCompletionStatus{CompletionStatus: success},
			roles: map[string][]v1.TaskStatus{
				"server": two(withCode(taskIn(done, 0), cut), withCode(taskIn(done, 0), cut)),
				"worker": two(withCode(taskIn(done, 0), success), withCode(counted(taskIn(done, 1), 1, 0), success))}},
	)
	want := `server-0, server-1, worker-1 run.
4 Tasks: 3 Running, 1 Starting
worker-0 runs.
worker-1 has failed, code 200 ContainerTransientFailed. A container exited with 200, which marks the failure as transient: another try may well succeed.
4 Tasks: 3 Running, 1 Ending
worker-1 is tried again, as attempt 1: a retry that does not count against maxRetryCount.
4 Tasks: 3 Running, 1 Starting
worker-0, worker-1 have succeeded.
worker-1 ends the attempt, as a success. enough.
server-0, server-1 are cut short by the end of the attempt, code -220, which is no failure.
4 Tasks: 2 Ending, 2 Succeeded
the Framework has succeeded.
4 Tasks: 2 Succeeded, 2 CutShort
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A permanent failure, another attempt of the Framework, a wait and a scale-down are reported, too.
func TestStoryOfTrouble(t *testing.T) {
	failed := &v1.FrameworkAttemptCompletionStatus{CompletionStatus: unknown}
	worker := func(tasks ...v1.TaskStatus) map[string][]v1.TaskStatus {
		return map[string][]v1.TaskStatus{"worker": tasks}
	}
	got := tellAll(
		moment{state: v1.AttemptPreparing, waiting: "Unschedulable", roles: worker(taskIn(v1.AttemptPreparing, 0), taskIn(v1.AttemptPreparing, 0))},
		moment{state: v1.AttemptPreparing, waiting: "Unschedulable", roles: worker(taskIn(v1.AttemptPreparing, 0))},
		moment{state: v1.AttemptRunning, roles: worker(counted(taskIn(v1.AttemptRunning, 1), 1, 1))},
		moment{state: v1.AttemptCompleted, end: failed, roles: worker(withCode(counted(taskIn(v1.Completed, 1), 1, 1), unknown))},
		moment{state: v1.AttemptRunning, attempt: 1, roles: worker(taskIn(v1.AttemptRunning, 0))},
		moment{state: v1.Completed, attempt: 1, end: failed, roles: worker(withCode(taskIn(v1.Completed, 0), unknown))},
	)
	for _, want := range []string{
		"the Framework waits, Unschedulable. why\n2 Tasks: 2 Starting\n",
		"worker-1 is gone: the number of Tasks was lowered.\n1 Task: 1 Starting\n",
		"worker-0 is tried again, as attempt 1: a retry that counts against maxRetryCount.\nworker-0 runs.\n",
		"worker-0 has failed for good. The retry policy of the role allows no further retry.\nthe attempt is over: as a failure with code 1 ContainerUnrecognizedFailed.\n1 Task: 1 Failed\n",
		"attempt 1 of the Framework begins.\nworker-0 runs.\n",
		"the Framework has failed, code 1 ContainerUnrecognizedFailed.\n1 Task: 1 Failed\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Count(got, "Unschedulable") != 1 {
		t.Errorf("a wait is told again:\n%s", got)
	}
}

func TestListed(t *testing.T) {
	row := func(role string, indices ...int32) (names []taskName) {
		for _, i := range indices {
			names = append(names, taskName{role, i})
		}
		return names
	}
	for want, names := range map[string][]taskName{
		"a-0":                            row("a", 0),
		"a-0, a-1":                       row("a", 1, 0),
		"a-0 to 3, b-5":                  append(row("b", 5), row("a", 0, 1, 2, 3)...),
		"a-0, a-2, a-4, a-6, and 2 more": row("a", 0, 2, 4, 6, 8, 10),
		"a-0, a-1, a-5 to 7, a-9, b-0":   append(row("a", 0, 1, 5, 6, 7, 9), row("b", 0)...),
		"a-10 to 9999":                   row("a", sequence(10, 9999)...),
	} {
		if got := listed(names); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func sequence(from, to int32) (all []int32) {
	for i := from; i <= to; i++ {
		all = append(all, i)
	}
	return all
}
