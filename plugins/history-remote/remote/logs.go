package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// pauseWithoutLogs is the time for which a server that keeps no logs is not asked again.
const pauseWithoutLogs = time.Minute

// logs records whether the server is ready to collect logs.
type logs struct {
	mu sync.Mutex
	// keepsNone: the last answer was that the server keeps no logs. It is asked again after askAt.
	keepsNone bool
	askAt     time.Time
}

func (s *sink) collectsLogs() bool { return s.client != nil && s.client.spec.Logs }

// CollectLogs asks the server to collect the logs of a Pod. It does not retry, because the Pod is deleted soon, after any answer.
func (s *sink) CollectLogs(ctx context.Context, q *pluginpb.CollectLogsRequest) error {
	if s.client == nil {
		return errors.New("it was not configured")
	}
	if s.logs.pause(time.Now()) {
		return nil
	}
	if deadline, limited := ctx.Deadline(); limited { // our own error should come before the caller's deadline
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)*9/10)
		defer cancel()
	}
	response, err := s.client.ask(ctx, s.client.spec.logs, q)
	var away *awayError
	none := errors.As(err, &away) && away.status == http.StatusNotFound
	if s.logs.note(none, time.Now()) {
		s.log.Warn("the server keeps no logs", "asked_again_in", pauseWithoutLogs.String())
	}
	switch {
	case none:
		return nil
	case err != nil:
		return fmt.Errorf("collecting logs: %w", err)
	}
	return response.Body.Close()
}

// pause reports whether the server is not to be asked now.
func (l *logs) pause(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keepsNone && now.Before(l.askAt)
}

// note records whether the server keeps no logs, and reports whether that is new.
func (l *logs) note(none bool, now time.Time) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	news = none && !l.keepsNone
	l.keepsNone, l.askAt = none, now.Add(pauseWithoutLogs)
	return news
}
