package localpage

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/eventstream"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

const (
	// mostStreams is more than the pages of one browser need: each shown page has one.
	mostStreams = 50
	// liveGap is the least time between two events, and between two watches.
	liveGap = time.Second
)

// liveChanges sends an event each time that Frameworks of a namespace change in the cluster.
type liveChanges struct {
	cluster Cluster
	places  chan struct{}
}

func (l *liveChanges) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case l.places <- struct{}{}:
		defer func() { <-l.places }()
	default:
		refuseInJSON(w, http.StatusTooManyRequests, "Too many pages are open: close some.")
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	changed, ended := make(chan struct{}, 1), make(chan error, 1)
	var watching sync.WaitGroup
	watching.Go(func() { ended <- l.watch(ctx, r.URL.Query().Get("namespace"), changed) })
	follow(ctx, eventstream.Begin(w), changed, ended)
	cancel()
	watching.Wait()
}

// watch watches again and again, until the cluster refuses.
func (l *liveChanges) watch(ctx context.Context, namespace string, changed chan<- struct{}) error {
	ring := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	for {
		if err := l.cluster.Watch(ctx, namespace, ring); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(liveGap):
			ring() // covers changes missed between two watches
		}
	}
}

// follow sends events until the client has gone, or the watch has ended.
func follow(ctx context.Context, out *eventstream.Stream, changed <-chan struct{}, ended <-chan error) {
	tell := func() error {
		return out.Send(string(historyapi.RowsChanged), historyapi.Change{Time: time.Now().UTC()})
	}
	if tell() != nil {
		return
	}
	heartbeat := time.NewTicker(eventstream.Heartbeat)
	defer heartbeat.Stop()
	last := time.Now()
	var due <-chan time.Time // fires when an event that is held back is due
	for {
		var gone error
		select {
		case <-ctx.Done():
			return
		case err := <-ended:
			if ctx.Err() != nil {
				return // the client has gone
			}
			_ = out.Send(string(historyapi.ReadingRefused), historyapi.Error{Status: cmp.Or(statusOf(err), http.StatusServiceUnavailable), Message: err.Error()})
			return
		case <-changed:
			if due == nil {
				due = time.After(liveGap - time.Since(last))
			}
		case <-due:
			due, last = nil, time.Now()
			gone = tell()
		case <-heartbeat.C:
			gone = out.Beat()
		}
		if gone != nil {
			return
		}
	}
}
