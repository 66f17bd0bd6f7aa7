package controller

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// Requests beyond the limit of one connection must not delay watch events, so each watch has its own.
func TestSeparateConnections(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, apitest.StartTLS(t))
	w.start()
	w.running("a")
	watches := w.connections("watch")
	for _, verb := range []string{"get", "update", "create", "patch"} {
		for _, c := range w.connections(verb) {
			if slices.Contains(watches, c) {
				t.Errorf("%s shares a connection with a watch", verb)
			}
		}
	}
	if len(watches) != len(w.Requests("watch")) {
		t.Errorf("%d watches use %d connections", len(w.Requests("watch")), len(watches))
	}
}

// If an API server hangs while its machine keeps answering, the watch is given up. The next one misses nothing.
func TestSilentWatchIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := apiserver.Dial(ctx, network, address)
		return hasty{c}, err
	}
	w.start()
	w.running("a")
	w.requested("watch", 3+2)
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
}

// hasty is a connection on which a second passes as minutes do.
type hasty struct{ net.Conn }

func (h hasty) SetReadDeadline(at time.Time) error {
	return h.Conn.SetReadDeadline(time.Now().Add(time.Until(at) / 360))
}

// connections returns the connections used by requests with a verb.
func (w *world) connections(verb string) []string {
	var out []string
	for _, q := range w.Requests("*") {
		if q.Verb == verb && !slices.Contains(out, q.Connection) {
			out = append(out, q.Connection)
		}
	}
	return out
}
