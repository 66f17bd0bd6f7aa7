package history

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// record begins to watch the cluster, and returns a function that compares its observations with the history.
func (s *site) record() (compare func() checker.Comparison) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	var recorder *checker.Recorder
	clustertest.Eventually(s.t, patience, func(context.Context) (err error) { // the API server may not know the type yet
		recorder, err = checker.Record(ctx, kube.Config, checker.RecordOptions{})
		return err
	})
	return func() checker.Comparison {
		s.t.Helper()
		m, err := checker.Remember(ctx, s.url(), "")
		require.NoError(s.t, err)
		c := m.Check(recorder.History(), false)
		require.Empty(s.t, c.Wrong)
		require.NotZero(s.t, c.Looked)
		s.t.Logf("%d attempts and verdicts are in the history once, and %d verdicts in shadow", c.Looked, c.Shadows)
		return c
	}
}

func pages[T any](s *site, path string) (all []T) {
	s.t.Helper()
	for next := ""; ; {
		page := get[historyapi.Page[T]](s, path+"&continue="+next)
		all = append(all, page.Items...)
		if next = page.Next; next == "" {
			return all
		}
	}
}

// requireQuestions demands that each verdict of the crowd has the question about its Pod, and that the failures are known alike.
func (s *site) requireQuestions() {
	s.t.Helper()
	digests := map[string]bool{}
	verdicts := pages[historyapi.Verdict](s, "/api/v1/verdicts?namespace=default&name="+s.framework+"&limit=5")
	for _, v := range verdicts {
		var q pluginpb.FailedPod
		require.NoError(s.t, protojson.Unmarshal(v.Judgment.Question, &q))
		require.Equal(s.t, v.Index, q.GetTaskIndex())
		require.EqualValues(s.t, 7, q.GetContainers()[0].GetTerminated().GetExitCode())
		digests[v.Judgment.QuestionDigest] = true
	}
	require.Len(s.t, verdicts, 12)
	s.t.Logf("12 verdicts have %d different questions", len(digests))
	failures := get[historyapi.Failures](s, "/api/v1/failures?namespace=default&by=code")
	require.Equal(s.t, "7 ContainerUnrecognizedFailed", failures.Rows[0].Group)
}

// requireObjects demands that the Framework is kept without secrets, and that equal Pods are.
func (s *site) requireObjects() {
	s.t.Helper()
	f := get[json.RawMessage](s, "/api/v1/frameworks/default/"+s.framework+"/object")
	require.Contains(s.t, string(f), `"taskNumber":12`)
	require.Contains(s.t, string(f), `"PASSWORD"`)
	require.NotContains(s.t, string(f), "hunter2")
	var pod corev1.Pod
	text := get[json.RawMessage](s, "/api/v1/frameworks/default/"+s.framework+"/tasks/worker/3/object")
	require.NoError(s.t, json.Unmarshal(text, &pod))
	require.Equal(s.t, "app", pod.Spec.Containers[0].Image)
	require.NotContains(s.t, string(text), "hunter2")
	require.Empty(s.t, pod.Spec.NodeName)
	require.Empty(s.t, pod.Name)
}

// requireSimulation has other rules judge the failures of the history.
func (s *site) requireSimulation() {
	s.t.Helper()
	rules := filepath.Join(s.t.TempDir(), "rules.yaml")
	require.NoError(s.t, os.WriteFile(rules, []byte(`podFailureSpec:
- code: 221
  phrase: DataMissing
  type: {attributes: [Permanent]}
  podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]
`), 0o600))
	out, err := kube.Command(s.t.Context(), kubectl, "simulate", "--from", "history", "-f", rules, "--history-url", s.url()).CombinedOutput()
	require.ErrorContains(s.t, err, "exit status 3", "%s", out)
	require.Regexp(s.t, `7 ContainerUnrecognizedFailed +221 DataMissing +Unknown +Permanent +12 `, string(out))
}
