package kubectl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

const saved = `{"items": [
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

// Failures of Pods are judged anew; what the controller has ended itself is not. A retry may come, or go.
func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "saved.json")
	require.NoError(t, os.WriteFile(path, []byte(saved), 0o600))
	frameworks, err := readSaved(path)
	require.NoError(t, err)
	c, err := config.Parse([]byte(rules))
	require.NoError(t, err)
	r := replay(c.Rules(), frameworks)
	if r.failures != 2 || r.otherTypes != 2 || r.added != 1 || r.saved != 1 {
		t.Errorf("got %+v", r)
	}
	var out strings.Builder
	require.NoError(t, r.print(&out))
	for _, want := range []string{"221 Seven", "Transient", "added", "saved", "a/one w-0", "2 failures: 2 get another type, 1 retry saved, 1 added"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// A file that is something else is an error with its name.
func TestReadSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, os.WriteFile(path, []byte("[1,"), 0o600))
	if _, err := readSaved(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}
