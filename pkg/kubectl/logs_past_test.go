package kubectl

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/server"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A real server serves kept logs without their middle, and the first failure with the lines of all Tasks around it.
func TestKeptLogsOfAServer(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "history.db"), Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	begin := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	about := &pluginpb.Framework{Namespace: "default", Name: "train", Uid: "u", AttemptId: 1}
	for index, ended := range []int{300, 200} {
		at := timestamppb.New(begin.Add(time.Duration(ended) * time.Second))
		_, err := s.Ingest(t.Context(), "default", []*pluginpb.Record{{Key: fmt.Sprint(index), Framework: about, Time: at,
			Content: &pluginpb.Record_TaskAttempt{TaskAttempt: &pluginpb.TaskAttemptRecord{TaskRole: "worker", TaskIndex: int32(index), TaskUid: "t",
				Node: "node-7", PodName: "train-worker", Began: timestamppb.New(begin), Ended: at,
				Completion: &pluginpb.Completion{Code: 7, Phrase: "ContainerUnrecognizedFailed", Type: &pluginpb.CompletionType{Name: "Failed"}}}}}})
		require.NoError(t, err)
		kept := logs.NewKept(logs.Limits{Head: 20, Tail: 20}, nil)
		for i := range ended {
			require.NoError(t, kept.Add(logs.Line{Time: begin.Add(time.Duration(i) * time.Second).UnixNano(), Text: fmt.Appendf(nil, "line %03d\n", i)}))
		}
		require.NoError(t, s.SaveLog(t.Context(), store.NewLog{LogKey: store.LogKey{Cluster: "default", PodUID: fmt.Sprint(index), Container: "main"},
			Role: "worker", Index: int32(index), Framework: about, Pod: "train-worker", State: historyapi.LogComplete, Parts: kept.Parts(nil), Time: begin}))
	}
	reader := httptest.NewServer(server.New(server.Options{Store: s, Log: hclog.NewNullLogger()}).Handler())
	t.Cleanup(reader.Close)
	t.Setenv(historyURL, reader.URL)
	withoutCluster(t)

	require.Regexp(t, `^\[worker-1\] line 000\n(\[worker-1\] .*\n)*\[worker-1\] \.\.\. [0-9]+ bytes not kept \.\.\.\n(\[worker-1\] .*\n)*\[worker-1\] line 199\n$`,
		transcribe(t.Context(), []string{"logs", "train", "worker/1"}))
	require.Equal(t, "[worker-0] 2026-11-24T12:04:59.000000000Z line 299\n[worker-1] 2026-11-24T12:03:19.000000000Z line 199\n",
		transcribe(t.Context(), []string{"logs", "train", "worker", "--attempt", "1", "--tail", "1", "--timestamps"}))
	require.Regexp(t, `^In attempt 1 of the Framework:
Task worker-1 failed first: its attempt 0 ended at 2026-11-24T12:03:20Z \(.* ago\) on node node-7, before 1 other failure.
Attempt 0 of Task worker-1 failed with code 7, .*

(\[worker-1\] 2026-11-24T12:03:1[0-9]\.000Z line 1[0-9]{2}\n)+--- 2026-11-24T12:03:20.000Z worker-1 ended with code 7 ---
$`, transcribe(t.Context(), []string{"logs", "train", "--first-failure", "--around", "10s"}))
	require.Equal(t, "error: no such attempt of Task worker-1 in the history: attempt 0 of the Framework; kubectl framework history train -n default shows what the history has\nexit code 1\n",
		transcribe(t.Context(), []string{"logs", "train", "worker/1", "--attempt", "0"}))
	require.Contains(t, transcribe(t.Context(), []string{"logs", "train", "--first-failure", "--around", "2h"}), "error: --around is 1h at most")
}
