package e2enode

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// The history server reads logs from a real kubelet, including output after SIGTERM, and keeps them, byte for byte, when the Pod is gone.
// The test asks it in place of the controller, to be sure that the answer precedes the deletion.
func TestLogsInHistory(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	url := s.historyServer("{headBytes: 1Mi, tailBytes: 8Mi, redact: ['token=\\S+']}")
	s.apply("logs-in-history")
	s.until("the Pod has written its log", func(context.Context) bool {
		return strings.HasSuffix(s.log("kept-worker-0", "app"), "\nready\n") && s.log("kept-worker-0", "side") != ""
	})
	f := s.awaitRunning("kept", 1)
	pod, err := s.pods.Get(t.Context(), "kept-worker-0", metav1.GetOptions{})
	require.NoError(t, err)
	request, err := proto.Marshal(&pluginpb.CollectLogsRequest{
		Framework: &pluginpb.Framework{Namespace: s.namespace, Name: f.Name, Uid: string(f.UID), AttemptId: 0},
		TaskRole:  "worker", PodName: pod.Name, PodUid: string(pod.UID),
		Containers: []*pluginpb.LoggedContainer{{Name: "app", Running: true}, {Name: "side"}, {Name: "silent"}}})
	require.NoError(t, err)
	answer, err := http.Post(url+"/api/v1/logs/collect", "application/x-protobuf", bytes.NewReader(request))
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s", text)

	before := s.log("kept-worker-0", "app")
	s.kubectl("delete", "pod", "kept-worker-0", "--wait=false")
	s.await("kept", "in its second attempt of the Task", func(f *v1.FrameworkStatus) bool {
		tasks := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
		return len(tasks) == 1 && tasks[0].AttemptStatus.ID == 1
	})
	task := url + "/api/v1/frameworks/" + s.namespace + "/kept/tasks/worker/0/log?taskAttempt=0"
	const secret = "token=secret-of-0"
	require.Contains(t, before, secret)
	want := strings.Replace(before, secret, "[redacted]", 1) + "told to end in attempt 0\n"
	require.Greater(t, len(want), 400_000)
	t.Cleanup(func() {
		if written := s.log("kept-worker-0", "app"); t.Failed() {
			t.Logf("the containers of all attempts have written %d bytes, and among them the last line of the first: %t", len(written), strings.Contains(written, want[len(want)-25:]))
		}
	})
	s.until("the whole log is kept", func(ctx context.Context) bool {
		return strings.HasSuffix(s.get(ctx, task), "told to end in attempt 0\n")
	})
	if got := s.get(t.Context(), task); got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("the kept log has %d bytes, the container wrote %d; they differ at %d: %.100q, want %.100q", len(got), len(want), at, got[at:], want[at:])
	}
	require.Contains(t, want, "\nbytes \xff\xfe\x00 that are no text\n")
	require.Equal(t, "no line feed", s.get(t.Context(), task+"&container=side"))
	require.Empty(t, s.get(t.Context(), task+"&container=silent"))
	require.Equal(t, "step 007999 and more text that makes the line long\n", s.get(t.Context(), task+"&search=step+007999"))
	require.Equal(t, "ready\ntold to end in attempt 0\n", s.get(t.Context(), task+"&tailLines=2"))

	var page historyapi.Page[historyapi.Log]
	require.NoError(t, json.Unmarshal([]byte(s.get(t.Context(), url+"/api/v1/frameworks/"+s.namespace+"/kept/logs")), &page))
	require.Len(t, page.Items, 3)
	for _, l := range page.Items {
		require.Equal(t, historyapi.LogComplete, l.State, "%+v", l)
		require.Nil(t, l.Truncated, "%+v", l)
	}
}

// historyServer starts a history server that keeps logs in this way, and returns its URL. It ends with the test.
func (s *story) historyServer(config string) (url string) {
	s.t.Helper()
	dir := s.t.TempDir()
	program, err := clustertest.Install(s.t.Context(), dir, clustertest.HistoryProgram)
	require.NoError(s.t, err)
	address, err := launch.FreeAddress()
	require.NoError(s.t, err)
	logs := filepath.Join(dir, "logs.yaml")
	require.NoError(s.t, os.WriteFile(logs, []byte(config), 0o600))
	p, err := launch.Program(kube, launch.Options{Binary: program, Dir: dir, Args: []string{"serve", "--no-auth", "--address", address,
		"--database", filepath.Join(dir, "history.db"), "--logs-config", logs, "--kubeconfig", kube.Kubeconfig, "-v=4"}})
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		p.Kill()
		if s.t.Failed() {
			s.t.Log(p.Tail(6000))
		}
	})
	url = "http://" + address
	s.until("the history server is ready", func(ctx context.Context) bool { return strings.TrimSpace(s.get(ctx, url+"/readyz")) == "ok" })
	return url
}

// get returns the body; empty after an error.
func (s *story) get(ctx context.Context, url string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(s.t, err)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}
