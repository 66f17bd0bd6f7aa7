package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// past is an ended attempt of a Framework with one role, whose Tasks have these codes.
func past(codes ...int32) Past {
	end := metav1.NewTime(time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC))
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}}
	f.Status = &v1.FrameworkStatus{State: v1.Completed, CompletionTime: &end, TransitionTime: end}
	role := v1.TaskRoleStatus{Name: "worker"}
	for i, code := range codes {
		s := v1.CompletionStatus{Code: code, Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}}
		if completion.IsPredefined(completion.Predefined(code, ""), code) {
			s = completion.Predefined(code, "")
		}
		role.TaskStatuses = append(role.TaskStatuses, v1.TaskStatus{Index: int32(i), State: v1.Completed, CompletionTime: &end, TransitionTime: end,
			AttemptStatus: v1.TaskAttemptStatus{CompletionTime: &end, CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: s}}})
	}
	f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{role}
	f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{
		CompletionStatus: role.TaskStatuses[0].AttemptStatus.CompletionStatus.CompletionStatus, Trigger: &v1.CompletionTrigger{TaskRoleName: "worker"}}
	return Past{Framework: f, Now: end.Add(time.Hour)}
}

func saying(a Answer) string { return strings.Join(a.Lines(), "\n") }

// Each row of the retry table has words that need no limits, which a history does not have.
func TestRetriesOfThePast(t *testing.T) {
	for _, row := range retryrules.Table() {
		p := past(7)
		p.Retry = PastRetry{Follows: row.Retry, Row: row.ID}
		text := saying(PastFramework(p))
		require.NotContains(t, text, "error calling", row.ID)
		switch {
		case row.ID == retryrules.EndedByController:
			require.NotContains(t, text, "retried", row.ID)
		case row.ID == retryrules.GivenUp:
			require.Contains(t, text, "gave up", row.ID)
		case row.Role:
			require.Contains(t, text, "was restarted as a whole", row.ID)
		case row.Retry:
			require.Contains(t, text, "The Framework was retried because ", row.ID)
		default:
			require.Regexp(t, `The Framework is not retried: [a-z]`, text, row.ID)
		}
		requireArguments(t, PastFramework(p))
	}
}

// The first failure is explained at length unless it is the one that ended the attempt.
func TestFirstFailureOfThePast(t *testing.T) {
	p := past(7, 9, -220)
	tasks := p.Framework.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
	p.First = &PastFailure{Role: "worker", Task: &tasks[1], Ended: p.Now.Add(-2 * time.Hour), Later: 1}
	text := saying(PastFramework(p))
	require.Contains(t, text, "Task worker-1 failed first: its attempt 0 ended at 2026-11-24T11:00:00Z (120m ago), before 1 other failure.")
	require.Contains(t, text, "Attempt 0 of Task worker-1 failed with code 9")
	requireArguments(t, PastFramework(p))

	p.First.Task, p.First.Later, p.First.Disrupted = &tasks[0], 0, true
	text = saying(PastFramework(p))
	require.Contains(t, text, "No Task failed by itself. Task worker-0 was disrupted first: its attempt 0 ended at 2026-11-24T11:00:00Z (120m ago).")
	require.NotContains(t, text, "Attempt 0 of Task worker-0 failed")
}

// A status of a history may lack Tasks, so that an index is no position.
func TestTasksOfThePastMayBeMissing(t *testing.T) {
	p := past(7, 9, 11)
	role := &p.Framework.Status.AttemptStatus.TaskRoleStatuses[0]
	role.TaskStatuses = role.TaskStatuses[1:]
	require.Contains(t, saying(PastTaskOf(p, "worker", 2)), "code 11")
	require.Equal(t, "Framework train has no Task worker-0.", saying(PastTaskOf(p, "worker", 0)))
	require.Contains(t, saying(PastRole(p, "worker")), "Attempt 0 of Task worker-1 failed with code 9")
	require.NotContains(t, saying(PastFramework(p)), "Attempt 0")
}
