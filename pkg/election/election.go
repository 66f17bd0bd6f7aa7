package election

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// ErrLost is returned by Run when the lease could not be renewed in time, or somebody else has taken it. The process must end: until then
// its work continues, with every write refused.
var ErrLost = errors.New("the lease was lost")

// Election is the participation of one process in a leader election. It is for one Run.
type Election struct {
	options Options
	log     hclog.Logger
	fence   *fence
	lock    *lock
	started chan struct{} // closed when this process begins to lead
}

// New prepares an election. The config, which is not changed, is for the API server that has the Lease.
func New(c *rest.Config, o Options) (*Election, error) {
	if o.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("naming this process in the lease: %w", err)
		}
		o.Identity = host + "_" + string(uuid.NewUUID())
	}
	client, err := coordinationv1.NewForConfig(leaseConfig(c, o.Timing))
	if err != nil {
		return nil, fmt.Errorf("connecting for the lease: %w", err)
	}
	return newElection(o, client, sinceBoot), nil
}

func newElection(o Options, client coordinationv1.LeasesGetter, now func() time.Duration) *Election {
	e := &Election{options: o, log: o.Log, started: make(chan struct{}), fence: newFence(o.Timing, now)}
	e.lock = &lock{fence: e.fence, tried: now(), Interface: &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: o.Identity},
	}}
	return e
}

// leaseConfig returns a config with its own connection, which no other request delays. A hanging connection is replaced after
// the first request that hangs: HTTP/2 would keep using it. There is time for two attempts until the deadline.
func leaseConfig(base *rest.Config, t Timing) *rest.Config {
	c := rest.CopyConfig(base)
	c.Timeout = t.RenewDeadline / 2
	c.NextProtos = []string{"http/1.1"}
	c.Dial = (&net.Dialer{Timeout: c.Timeout}).DialContext
	c.QPS, c.RateLimiter = -1, nil
	return c
}

// Run waits for the lease, runs lead until it returns or ctx ends, and then gives the lease back. It returns the result of
// lead, nil if ctx has ended before the lease was acquired, or ErrLost at once.
func (e *Election) Run(ctx context.Context, lead func(context.Context) error) error {
	// It ends when the lease is no longer needed, which is later than ctx does.
	campaign, finish := context.WithCancel(context.WithoutCancel(ctx))
	defer finish()
	e.log.Info("standing by", "lease", e.lock.Describe(), "identity", e.options.Identity)
	elector, err := leaderelection.NewLeaderElector(e.config())
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		elector.Run(campaign)
	}()
	select {
	case <-ctx.Done():
	case <-e.started:
		go e.fence.watch(campaign)
		err = e.lead(ctx, ended, lead)
	}
	if errors.Is(err, ErrLost) {
		return err
	}
	e.fence.drain()
	finish()
	<-ended
	return err
}

// lead runs work while the lease is held.
func (e *Election) lead(ctx context.Context, ended <-chan struct{}, work func(context.Context) error) error {
	e.log.Info("leading")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ended: // it was not renewed in time
		e.fence.revoke()
	case <-e.fence.revoked.Done(): // somebody else has the lease, or it expired unnoticed
	}
	_, over := e.fence.current()
	since := (e.options.Timing.LeaseDuration + over).Round(time.Millisecond)
	e.log.Error("the lease was lost; the process writes nothing from now on, and exits",
		"not_renewed_for", since.String(), "leads", e.lock.heldBy())
	if other := e.lock.other(); other != "" {
		return fmt.Errorf("%w: %s has taken %s", ErrLost, other, e.lock.Describe())
	}
	return fmt.Errorf("%w: %s was not renewed for %s", ErrLost, e.lock.Describe(), since)
}

func (e *Election) config() leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		Lock:            e.lock,
		LeaseDuration:   e.options.Timing.LeaseDuration,
		RenewDeadline:   e.options.Timing.RenewDeadline,
		RetryPeriod:     e.options.Timing.RetryPeriod,
		ReleaseOnCancel: true, // if lock allows it
		Name:            e.options.Name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(e.started) },
			OnStoppedLeading: func() {},
			OnNewLeader:      e.logLeader,
		},
	}
}

func (e *Election) logLeader(leader string) {
	if leader != "" && leader != e.options.Identity {
		e.log.Info("another controller leads", "identity", leader)
	}
}

// Leading reports whether this process may write.
func (e *Election) Leading() bool {
	s, over := e.fence.current()
	return s == leading && over < 0
}
