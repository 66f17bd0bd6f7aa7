package history

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// doomed fails twice, each time by its chief, while its workers keep running.
const doomed = `
apiVersion: frameworkcontroller.microsoft.com/v1
kind: Framework
metadata: {name: NAME, namespace: default}
spec:
  retryPolicy: {maxRetryCount: 1}
  taskRoles:
  - name: chief
    taskNumber: 1
    frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1}
    task:
      pod:
        metadata:
          annotations: {simulate.frameworkcontroller.io/run-for: 2s, simulate.frameworkcontroller.io/exit-codes: '7'}
        spec:
          restartPolicy: Never
          containers: [{name: main, image: app}]
  - name: worker
    taskNumber: 3
    task:
      pod:
        metadata:
          annotations: {simulate.frameworkcontroller.io/run-for: 10m, simulate.frameworkcontroller.io/exit-codes: '0'}
        spec:
          restartPolicy: Never
          containers: [{name: main, image: app}]
`

// The commands that show a Framework show it from the history when it is gone, and its earlier attempts while it exists.
func TestWhatIsGone(t *testing.T) {
	s := newSite(t)
	s.apply(strings.ReplaceAll(doomed, "NAME", s.framework))
	f := s.await(s.framework, func(f *v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed })
	s.awaitRecord(string(f.UID), "Completed")

	tree := s.kubectl("tree", s.framework, "--attempt", "0")
	require.Contains(t, tree, s.framework+": AttemptCompleted, attempt 0, code 7 ContainerUnrecognizedFailed")
	require.Contains(t, tree, "0-2: CutShort")
	require.NotContains(t, s.kubectl("explain", s.framework), "deleted since")

	require.NoError(t, frameworks.FrameworkControllerV1().Frameworks("default").Delete(t.Context(), s.framework, metav1.DeleteOptions{}))
	s.awaitRecord(string(f.UID), "Deleted")

	gone := "Framework " + s.framework + " is not in namespace default. This is from the history.\n"
	explanation := s.kubectl("explain", s.framework)
	for _, says := range []string{gone, "The Framework has been deleted since.", "in attempt 1.", "1 has failed and 3 were cut short.", "Task chief-0 ended the attempt.",
		"The Framework is not retried: maxRetryCount allowed no further retry.", "Task chief-0 failed first: its attempt 0 ended at", "attempt 1 began"} {
		require.Contains(t, explanation, says)
	}
	require.Contains(t, s.kubectl("explain", s.framework, "chief/0", "--attempt", "0"), "Its attempt failed with code 7, ContainerUnrecognizedFailed.")
	require.Contains(t, s.kubectl("explain", s.framework, "--attempt", "0"), "The Framework was retried because it had a retry left.")
	require.Regexp(t, `(?m)^worker-2 +CutShort +0 +0 +-220 `, s.kubectl("tasks", s.framework, "worker"))
	require.Contains(t, s.kubectl("history", s.framework, "--attempt", "0"), "CutShort")
	require.Equal(t, "chief-0\n", strings.TrimPrefix(s.kubectl("tasks", s.framework, "--attempt", "0", "--state", "Failed", "-o", "name"), gone))
}
