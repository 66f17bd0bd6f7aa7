package kubectl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

const listed = `{"items": [
{"metadata": {"namespace": "a", "name": "one"}, "spec": {"taskRoles": [{"name": "w", "task": {"retryPolicy": {"fancyRetryPolicy": true}}}]},
 "status": {"state": "Completed", "attemptStatus": {"taskRoleStatuses": [{"name": "w", "taskStatuses": [
  {"index": 0, "state": "Completed", "attemptStatus": {"podName": "one-w-0", "completionStatus": {"code": 7, "phrase": "ContainerUnrecognizedFailed",
   "type": {"name": "Failed", "attributes": []}, "pod": {"containers": [{"name": "main", "code": 7}]}}}},
  {"index": 1, "state": "Completed", "attemptStatus": {"podName": "one-w-1", "completionStatus": {"code": -220, "phrase": "FrameworkAttemptCompletion",
   "type": {"name": "Failed", "attributes": ["Permanent"]}}}},
  {"index": 2, "state": "AttemptCompleted", "attemptStatus": {"podName": "one-w-2", "completionStatus": {"code": 300, "phrase": "Old",
   "type": {"name": "Failed", "attributes": ["Transient"]}, "pod": {"containers": [{"name": "main", "code": 9}]}}}}
 ]}]}}},
{"metadata": {"namespace": "a", "name": "two"}}]}`

const rules = `podFailureSpec:
- code: 221
  phrase: Seven
  type: {attributes: [Transient]}
  podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]
`

// Failures of Pods are judged again; ends decided by the controller itself are not. Retries may be added or saved.
func TestReplay(t *testing.T) {
	found := readText(t, listed)
	c, err := config.Parse([]byte(rules))
	require.NoError(t, err)
	r := replayWith(t, found, c)
	if r.failures != 2 || r.otherTypes != 2 || r.tasks != (retries{saved: 1, added: 1}) || r.wholes != (retries{}) {
		t.Errorf("got %+v", r)
	}
	var out strings.Builder
	require.NoError(t, r.print(&out))
	for _, want := range []string{"221 Seven", "Transient", "added", "saved", "a/one w-0", "2 failures: 2 of another type", "retries of Tasks: 1 saved, 1 added", "whole Frameworks: 0 saved, 0 added"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// Without rules, failures on which a plugin has no opinion keep their verdicts, whoever gave them; with rules, the rules judge.
func TestReplayKeepsVerdicts(t *testing.T) {
	host := pluginhost.New(pluginhost.Options{})
	t.Cleanup(host.Stop)
	for keeps, otherTypes := range map[bool]int{true: 0, false: 1} {
		failures := readText(t, listed).failures()
		j := &judge{panel: consult.New(host, config.Default().Rules()), keeps: keeps, skipped: map[string]int{}}
		r := replay(failures, j.all(t.Context(), failures), true)
		if r.failures != 2 || r.otherTypes != otherTypes || keeps && r.lines[0].was != r.lines[0].is {
			t.Errorf("keeps %t: %+v", keeps, r)
		}
	}
}

// replayWith judges failures by the rules of a configuration.
func replayWith(t *testing.T, found *saved, c *config.Config) *replayed {
	t.Helper()
	host := pluginhost.New(pluginhost.Options{})
	t.Cleanup(host.Stop)
	failures := found.failures()
	j := &judge{panel: consult.New(host, c.Rules()), skipped: map[string]int{}}
	return replay(failures, j.all(t.Context(), failures), false)
}

// readText reads a saved text.
func readText(t *testing.T, text string) *saved {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saved")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	found, err := (&caller{}).readSaved(path)
	require.NoError(t, err)
	return found
}

// If the Task whose end decided the attempt gets another type, its Framework is retried, or no longer retried.
func TestReplayOfWholeFrameworks(t *testing.T) {
	whole := strings.Replace(listed, `"spec": {`, `"spec": {"retryPolicy": {"fancyRetryPolicy": true, "maxRetryCount": 0}, `, 1)
	whole = strings.Replace(whole, `"fancyRetryPolicy": true}}}]`, `"fancyRetryPolicy": false}}}]`, 1)
	whole = strings.Replace(whole, `"attemptStatus": {"taskRole`, `"attemptStatus": {"completionStatus": {"code": 7, "phrase": "ContainerUnrecognizedFailed", "type": {"name": "Failed"},
		"trigger": {"taskRoleName": "w", "taskIndex": 0}}, "taskRole`, 1)
	c, err := config.Parse([]byte(rules))
	require.NoError(t, err)
	r := replayWith(t, readText(t, whole), c)
	if r.tasks != (retries{}) || r.wholes != (retries{added: 1}) || r.lines[1].retry != "whole added" {
		t.Errorf("got %+v, %+v", r, r.lines[1])
	}
}

// The history has each attempt, with the policy in force, and the Pods of the time. Repeated records count once, and a truncated line is
// reported.
func TestReplayOfHistory(t *testing.T) {
	var log bytes.Buffer
	h := history.New(&log, history.Switches{OnFrameworkRetry: true, OnTaskRetry: true, OnTaskDeletion: true, OnPodDeletion: true})
	of := &metav1.ObjectMeta{Namespace: "a", Name: "one", UID: "F"}
	task := func(attempt int32) history.Task {
		uid := types.UID(fmt.Sprint("P", attempt))
		return history.Task{Attempt: &v1.FrameworkAttemptStatus{ID: 2, ConfigMapName: "one-attempt"}, Role: v1.TaskRoleStatus{Name: "w"},
			Spec: &v1.TaskSpec{RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: 5, FancyRetryPolicy: true}},
			Status: &v1.TaskStatus{InstanceUID: "T", State: v1.AttemptCompleted, AttemptStatus: v1.TaskAttemptStatus{ID: attempt, PodName: "one-w-0", PodUID: &uid,
				CompletionStatus: &v1.TaskAttemptCompletionStatus{
					CompletionStatus: v1.CompletionStatus{Code: 7, Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed}},
					Pod:              &v1.PodCompletionStatus{Containers: []v1.ContainerCompletionStatus{{Name: "main", Code: 7, Reason: "Error"}}}}}}}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "one-w-0", UID: "P0", Labels: map[string]string{"team": "vision"}}}
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 7}}}}
	h.PodDeletion(of, pod)
	h.TaskRetry(of, task(0))
	fmt.Fprintln(&log, "I1125 something else")
	h.TaskRetry(of, task(1))
	h.TaskRetry(of, task(1)) // after a crash
	fmt.Fprintln(&log, `I1125 12:00:00.000000 1 x] y: OnTaskRetry: ObjectSnapshot: {"kind":"Task","met`)
	found := readText(t, log.String())
	failures := found.failures()
	if len(failures) != 2 || failures[0].pod == nil || failures[1].pod != nil || len(found.unread) != 1 || !strings.Contains(found.unread[0], "line 6") {
		t.Fatalf("%d failures, unread %q", len(failures), found.unread)
	}
	if f := failures[0]; f.attempt != 2 || f.String() != "a/one w-0" || f.question().Question.GetLabels()["team"] != "vision" {
		t.Errorf("%s %+v", f, f.question().Question)
	}
	c, err := config.Parse([]byte(strings.Replace(rules, "Transient", "Permanent", 1)))
	require.NoError(t, err)
	if r := replayWith(t, found, c); r.tasks != (retries{saved: 2}) {
		t.Errorf("%+v", r)
	}
}

// The history also has the retries of a role that restarts as a whole: its retries are saved, until they are used up.
func TestReplayOfRoleRetries(t *testing.T) {
	c, err := config.Parse([]byte(strings.Replace(rules, "Transient", "Permanent", 1)))
	require.NoError(t, err)
	for retried, want := range map[string]retries{"0": {saved: 1}, "1": {}} {
		r := replayWith(t, readText(t, `I1125 12:00:00.000000 1 history.go:0] [a/one][w][0]: Task will be retried: OnTaskRetry: ObjectSnapshot: `+
			`{"kind":"Task","metadata":{"namespace":"a","name":"one-w-0"},"spec":{"retryPolicy":{"fancyRetryPolicy":true}},`+
			`"taskRole":{"retryPolicy":{"maxRetryCount":1},"retriedCount":`+retried+`},"status":{"attemptStatus":{"completionStatus":`+
			`{"code":7,"phrase":"ContainerUnrecognizedFailed","type":{"name":"Failed"},"pod":{"containers":[{"name":"main","code":7}]}}}}}`), c)
		if r.failures != 1 || r.tasks != want {
			t.Errorf("after %s retries of the role: got %+v", retried, r)
		}
	}
}

// A file that is something else is an error with its name.
func TestReadSaved(t *testing.T) {
	for _, text := range []string{"[1,", "{}", `{"kind":"Pod"}`, "a log without history\n", ""} {
		path := filepath.Join(t.TempDir(), "x.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := (&caller{}).readSaved(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if found := readText(t, listed+"\n"+`{"kind":"Framework","metadata":{"name":"three"}}`); len(found.frameworks) != 3 {
		t.Errorf("%d Frameworks", len(found.frameworks))
	}
}
