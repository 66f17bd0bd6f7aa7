package clustertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// Controller is a controller that runs until its test ends, and not longer.
type Controller struct {
	*launch.Process
	// Address is where it serves probes and metrics. It is empty before AwaitAddress.
	Address string

	t *testing.T
}

// StartController starts a controller. If the work dir is empty, it gets one of its own. When the test ends, the controller is killed, and
// the end of its log is shown if the test has failed.
func StartController(t *testing.T, c *cluster.Cluster, o launch.Options) *Controller {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	p, err := launch.Controller(c, o)
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("the controller's log:\n%s", p.Tail(8000))
		}
	})
	return &Controller{Process: p, t: t}
}

// AwaitAddress waits until it serves probes and metrics. It has to be started with --http-address.
func (c *Controller) AwaitAddress(within time.Duration) {
	c.t.Helper()
	c.Await(within, "the log names the address", func() bool {
		c.Address = AddressIn(c.Text())
		return c.Address != ""
	})
}

// Get returns its answer, as GetFrom does.
func (c *Controller) Get(path string) (code int, body string) { return GetFrom(c.Address, path) }

// Await waits until something holds. The test fails if it does not within that time, or the controller ends before.
func (c *Controller) Await(within time.Duration, what string, is func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-c.Ended():
			fail(fmt.Errorf("the controller has ended: %v", c.Err()))
		case <-ctx.Done():
		}
	}()
	require.NoError(c.t, Poll(ctx, Holds(what, is)))
}
