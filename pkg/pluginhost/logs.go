package pluginhost

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// maxLogCalls is the maximum number of calls for logs of one plugin under way. They do not count among its other calls: records
// must not wait for logs.
const maxLogCalls = 64

// CollectsLogs reports whether a HistorySink may be asked for logs: it states that it keeps them, or has not described itself yet
// and is being started. It is cheap.
func (h *Host) CollectsLogs(name string) bool {
	s := h.slot(name)
	if s == nil || s.kind != plugin.KindHistorySink {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.described == nil {
		return s.notSoonLocked() == nil
	}
	return s.described.collectsLogs
}

// CollectLogs asks a HistorySink for the logs of a Pod, once, within its timeout. It returns nil after an answer, and at once if the
// plugin turns out to keep no logs. The error is a *Fault, or ctx's. It does not count against the plugin: logs that cannot be had
// must not keep records from being stored.
func (h *Host) CollectLogs(ctx context.Context, name string, q *pluginpb.CollectLogsRequest) error {
	s, config, fault := h.find(name, plugin.KindHistorySink)
	if fault != nil {
		return fault
	}
	ctx, cancel := context.WithTimeout(ctx, config.timeout())
	defer cancel()
	select {
	case s.logCalls <- struct{}{}:
		defer func() { <-s.logCalls }()
	case <-ctx.Done():
		return preferred(ctx, s.overdueFault("is busy with other logs"))
	}
	v, ch, fault := s.awaitChild(ctx)
	if fault != nil {
		return preferred(ctx, fault)
	}
	defer s.endLogCall(v)
	if !ch.collectsLogs {
		return nil
	}
	began := time.Now()
	_, err := pluginpb.NewHistorySinkClient(ch.conn).CollectLogs(ctx, q)
	fault = nil
	if status.Code(err) == codes.DeadlineExceeded {
		fault = config.fault(Timeout, "has not collected the logs in time")
	} else if err != nil {
		fault = ch.callFault(config, string(s.kind), err)
	}
	s.host.onCall(Call{Plugin: s.name, Kind: s.kind, Method: "CollectLogs", Duration: time.Since(began), Questions: 1, Fault: fault})
	if fault != nil {
		return preferred(ctx, fault)
	}
	return nil
}

// awaitChild waits for a process that runs, and counts the call. The call ends with endLogCall, unless there is a fault.
func (s *slot) awaitChild(ctx context.Context) (*supervisor, *child, *Fault) {
	for {
		v, ch, fault, changed := s.beginLogCall()
		if fault != nil || v != nil {
			return v, ch, fault
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, s.overdueFault("did not start in time")
		}
	}
}

func (s *slot) beginLogCall() (*supervisor, *child, *Fault, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault := s.notSoonLocked(); fault != nil {
		return nil, nil, fault, nil
	}
	v := s.serving
	if !v.aliveLocked() {
		return nil, nil, nil, s.changed
	}
	v.calls++
	return v, v.child, nil, nil
}

func (s *slot) endLogCall(v *supervisor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.calls--
	s.wakeLocked(false)
}
