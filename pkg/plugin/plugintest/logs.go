package plugintest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// collectsLogs reports whether the sink states that it collects logs.
func (o Options) collectsLogs(t *testing.T, start Start) bool {
	t.Helper()
	described, err := o.describe(t, start(t), o.Parameters)
	if err != nil {
		t.Fatalf("Describe: %v", err)
	}
	return described.GetCollectsLogs()
}

// testLogs asks for logs of Pods, which need not exist: an error is an answer, unless it shows that the sink does not handle the
// question, or that it is too slow.
func (s sinkSuite) testLogs(t *testing.T) {
	questions := slices.Concat(s.options.Logs, logQuestions())
	for _, q := range questions {
		s.collect(t, q)
		s.collect(t, q)
		s.collect(t, later(q))
	}
	var wait sync.WaitGroup
	for i := range concurrentLogs {
		wait.Go(func() { s.collect(t, questions[i%len(questions)]) })
	}
	wait.Wait()
	for _, q := range questions {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, _ = pluginpb.NewHistorySinkClient(s.conn).CollectLogs(ctx, q) // too late or not, both are fine
		cancel()
	}
	s.collect(t, questions[0])
	s.store(t, &pluginpb.Record{Key: "after the logs", Framework: &pluginpb.Framework{Namespace: "a", Name: "f", Uid: "u"}})
}

// concurrentLogs is the number of questions about logs that the controller has under way at most.
const concurrentLogs = 64

func (s sinkSuite) collect(t *testing.T, q *pluginpb.CollectLogsRequest) {
	t.Helper()
	_, err := pluginpb.NewHistorySinkClient(s.conn).CollectLogs(s.options.context(t), q)
	switch status.Code(err) {
	case codes.DeadlineExceeded, codes.Unimplemented, codes.Internal, codes.Unavailable:
		t.Errorf("logs of Pod %.100q: %v", q.GetPodName(), err)
	}
}

// logQuestions are about Pods of all kinds, and about Pods that cannot be.
func logQuestions() []*pluginpb.CollectLogsRequest {
	of := &pluginpb.Framework{Namespace: "default", Name: "f", Uid: "uid-f", AttemptId: 1}
	main := &pluginpb.LoggedContainer{Name: "main"}
	out := []*pluginpb.CollectLogsRequest{
		{},
		{Framework: of, TaskRole: "worker", PodName: "f-worker-0", PodUid: "uid-0", Succeeded: true, Containers: []*pluginpb.LoggedContainer{main}},
		{Framework: of, TaskRole: "worker", TaskIndex: 1, TaskAttemptId: 3, TaskUid: "uid-t", PodName: "f-worker-1", PodUid: "uid-1",
			Containers: []*pluginpb.LoggedContainer{{Name: "init"}, {Name: "main", Running: true, Restarts: 7}},
			Wishes:     &pluginpb.LogWishes{HeadBytes: new(int64(0)), TailBytes: new(int64(1 << 40)), Containers: []string{"main", "missing"}}},
		{Framework: of, TaskRole: "worker", PodName: "f-worker-2", PodUid: "uid-2", Wishes: &pluginpb.LogWishes{None: true}},
		{Framework: of, TaskRole: "../..", PodName: "../../secrets/s?x=y#", PodUid: "\x00", Containers: []*pluginpb.LoggedContainer{{Name: "a/../b"}}},
		{Framework: of, PodName: hostile, PodUid: hostile, Containers: []*pluginpb.LoggedContainer{{Name: hostile, Restarts: -1}, {}}},
	}
	many := &pluginpb.CollectLogsRequest{Framework: of, PodName: "f-worker-3", PodUid: "uid-3"}
	for i := range 100 {
		many.Containers = append(many.Containers, &pluginpb.LoggedContainer{Name: fmt.Sprint("c", i), Running: i%2 == 0})
	}
	return append(out, many)
}
