package controller

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// logSink is a sink that also keeps logs. It outlives controllers.
type logSink struct {
	*sink
	// behave is called for each Pod; nil for a sink that keeps all logs at once.
	behave func(context.Context, *pluginpb.CollectLogsRequest) error
	asked  []*pluginpb.CollectLogsRequest
}

func newLogSink(t *testing.T) *logSink { return &logSink{sink: newSink(t)} }

func (*logSink) CollectsLogs(name string) bool { return name == adviserName }

func (s *logSink) CollectLogs(ctx context.Context, _ string, q *pluginpb.CollectLogsRequest) error {
	s.mu.Lock()
	s.asked = append(s.asked, q)
	s.mu.Unlock()
	if s.behave != nil {
		return s.behave(ctx, q)
	}
	return nil
}

// questions returns the questions so far, in their order.
func (s *logSink) questions() []*pluginpb.CollectLogsRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// logs lists the attempts whose logs are kept, in order, each once.
func (s *logSink) logs() (lines []string) {
	for _, q := range s.questions() {
		lines = append(lines, fmt.Sprintf("kept the logs of %s-%d attempt %d in attempt %d", q.GetTaskRole(), q.GetTaskIndex(), q.GetTaskAttemptId(), q.GetFramework().GetAttemptId()))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
