package kubectl

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Documents leave out unknown values, and a sentence is whole without a phrase.
func TestUnknownFieldsAreLeftOut(t *testing.T) {
	const head = `"apiVersion":"kubectl.frameworkcontroller.microsoft.com/v1",`
	s := &stored{}
	s.Name, s.Namespace = "train", "default"
	s.Status = &v1.FrameworkStatus{State: v1.AttemptRunning}
	task := v1.TaskStatus{State: v1.Completed, EarlierAttempts: []v1.EarlierTaskAttempt{{Code: 7}}}
	task.AttemptStatus.PodName = "train-worker-0"
	task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Code: 9, Type: v1.CompletionType{Name: v1.CompletionFailed}}}
	s.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{task}}}
	for want, document := range map[string]any{
		`{` + head + `"kind":"FrameworkTree","framework":"train","namespace":"default"}`:             treeDocument{document: documentOf("FrameworkTree", s)},
		`{` + head + `"kind":"FrameworkTree","framework":"train","namespace":"default","attempt":0}`: told{}.treeOfAttempt(s, 0),
		`{` + head + `"kind":"FrameworkTree","framework":"train","namespace":"default","state":"AttemptRunning","attempt":0,"roles":[{"name":"worker","tasks":1,"ranges":[` +
			`{"first":0,"last":0,"state":"Failed","attempt":0,"counted":0,"code":9,"type":"Failed","pod":"train-worker-0","earlier":[{"attempt":0,"code":7,"sentence":"code 7"}]}]}]}`: treeOf(s, told{}, false),
		`{` + head + `"kind":"TaskList","framework":"train","namespace":"default","items":[` +
			`{"name":"worker-0","role":"worker","index":0,"state":"Failed","attempt":0,"retries":0,"counted":0,"code":9,"type":"Failed","pod":"train-worker-0"}]}`: documentOfTasks(documentOf("TaskList", s), []taskLine{{role: "worker", TaskStatus: &task}}),
	} {
		text, err := json.Marshal(document)
		require.NoError(t, err)
		require.JSONEq(t, want, string(text))
	}
}
