package explain

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A sentence is complete without its optional parts: a phrase, a message, a word for a reason.
func TestSentencesWithoutWhatIsMissing(t *testing.T) {
	waits := func(c metav1.Condition) *v1.Framework {
		f := frameworkOf(v1.TaskStatus{State: v1.AttemptPreparing})
		c.Status = metav1.ConditionTrue
		f.Status.State, f.Status.Conditions = v1.AttemptPreparing, []metav1.Condition{c}
		return f
	}
	nameless := failedTask(v1.Completed, halfPastFour)
	nameless.AttemptStatus.CompletionStatus.Phrase = ""
	nameless.EarlierAttempts = []v1.EarlierTaskAttempt{{Code: 8, CompletionTime: metav1.NewTime(halfPastFour.Add(-time.Hour))}}
	avoids := frameworkOf(nameless)
	avoids.Status.AvoidedNodes = []v1.AvoidedNode{{Name: "node-0", Code: 9, TaskRoleName: "worker", Until: metav1.NewTime(halfPastFour.Add(time.Hour))}}
	removed := frameworkOf(v1.TaskStatus{State: v1.AttemptDeleting, DeletionPending: true})
	for name, test := range map[string]struct {
		framework   *v1.Framework
		task        bool
		want, hides string
	}{
		"a failure without a phrase":      {frameworkOf(nameless), true, "failed with code 9. A rule of this cluster recognized the failure.", ", ."},
		"an earlier one":                  {frameworkOf(nameless), true, "Earlier: attempt 0 ended 60m ago with code 8.", ", ."},
		"a node that is avoided":          {avoids, false, "failed there with code 9. ", ", ."},
		"a wait without a message":        {waits(metav1.Condition{Type: v1.ConditionWaiting, Reason: "Unschedulable"}), false, "It has been waiting", "In detail:"},
		"an invalid one without":          {waits(metav1.Condition{Type: v1.ConditionStatusInvalid, Reason: "SpecInvalid"}), false, "The stored spec is invalid", "Details:"},
		"invalid for an unknown reason":   {waits(metav1.Condition{Type: v1.ConditionStatusInvalid, Reason: "Odd", Message: "no name"}), false, "\nThe stored Framework is invalid for the controller. Details: no name.", "\n "},
		"a Task whose role was taken out": {removed, true, "is being removed because role worker was removed from the spec.", "was lowered"},
	} {
		answer := Framework(Facts{Framework: test.framework, Now: halfPastFour})
		if test.task {
			answer = Task(Facts{Framework: test.framework, Now: halfPastFour}, "worker", 0)
		}
		said := strings.Join(answer.Lines(), "\n")
		if !strings.Contains(said, test.want) || strings.Contains(said, test.hides) {
			t.Errorf("%s: it says\n%s\nand not %q, or also %q", name, said, test.want, test.hides)
		}
	}
}

// A document leaves out a time that is not known.
func TestUnknownTimesAreLeftOut(t *testing.T) {
	text, err := json.Marshal(Framework(Facts{Framework: frameworkOf(v1.TaskStatus{State: v1.AttemptRunning}), Now: halfPastFour}))
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
	require.Contains(t, string(text), "attempt 0 began at an unknown time.")
}

// Counts of one use the singular.
func TestOneIsToldInTheSingular(t *testing.T) {
	one := 1
	k := know(Facts{Framework: frameworkOf(), Now: halfPastFour})
	for topic, want := range map[Topic]string{
		MoreTasks: "1 more Task has failed or waits to be retried.", MoreNodes: "1 more node is avoided.", EarlierForgotten: "There was 1 earlier attempt, whose events are gone.",
	} {
		require.Equal(t, want, sentenceOf(Statement{Topic: topic, Subject: k.framework(), Args: Args{Tasks: &one}}, k.framework(), k).String())
	}
	limits := []Limit{{RetryPolicy{scopeTasks, "worker"}, fieldWindow, "", 2}, {RetryPolicy{scopeFramework, ""}, fieldBudgets, "code=9", 1}, {RetryPolicy{scopeRole, "worker"}, fieldMaxRetryCount, "", 0}}
	require.Equal(t, "failures of window, which is 2 for Tasks of role worker, maxRetryCount of the budget for code=9, which is 1 for the whole Framework, "+
		"or maxRetryCount, which is 0 for role worker as a whole", view{Args: Args{Limits: limits}}.TheLimits())
}
