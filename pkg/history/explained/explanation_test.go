package explained

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// An explanation has all that the answer has, in the same form, and the parts of sentences besides.
func TestExplanation(t *testing.T) {
	began := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "a"},
		Status: &v1.FrameworkStatus{State: v1.AttemptRunning, AttemptStatus: v1.FrameworkAttemptStatus{ID: 2, StartTime: metav1.NewTime(began),
			TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptRunning}}}}}}}
	answer := explain.Framework(explain.Facts{Framework: f, Now: began.Add(time.Hour)})
	e, err := Explanation(answer, 2, began)
	require.NoError(t, err)
	require.Equal(t, "Framework train is running: attempt 2 began at 2026-03-01T10:00:00Z (60m ago).", e.Statements[0].Sentence)
	require.Equal(t, began, *e.Statements[0].Parts[1].Time)
	require.True(t, e.Statements[0].Parts[3].Distance)
	for i := range e.Statements {
		e.Statements[i].Parts = nil
	}
	got, err := json.Marshal(e)
	require.NoError(t, err)
	want, err := json.Marshal(struct {
		FrameworkAttempt int32     `json:"frameworkAttempt"`
		Time             time.Time `json:"time"`
		explain.Answer
	}{2, began, answer})
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))
}
