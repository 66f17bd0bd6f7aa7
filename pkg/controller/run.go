package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"
)

// StandBy fills the caches, and keeps them filled until ctx ends, so that Run can begin at once. It writes nothing. It
// may be called once, before Run.
//
// What the caches hold when Run begins may be older than the last that another controller has written. That is so after
// any start, as an API server may fill them from a cache of its own that lags, and it is harmless for the same reason: of
// each Framework, the first round reads the object and its ConfigMap from the storage (read.go), a Pod that is missing is
// asked for before it counts as gone, and one that is shown but gone is deleted by its UID, or found to have another.
func (c *Controller) StandBy(ctx context.Context) {
	c.stoodBy = true
	c.vitals.reach(standingBy)
	c.watches.start(ctx)
	go c.vitals.server.KeepContact(ctx)
}

// Run installs the CRD and runs every Framework until ctx ends. It then stops deciding, lets requests under way
// end, and returns nil. It returns an error if it could not start, unless ctx has ended by then, and an apiserver.ErrRestored as
// soon as it finds that a backup of the storage was restored, which it cannot go on from: start another process.
func (c *Controller) Run(ctx context.Context) error {
	defer c.reporter.stop()
	defer c.queue.ShutDown() // also if there was no work
	ctx, end := context.WithCancel(ctx)
	defer end()
	go c.endIfRestored(ctx, end)
	if err := c.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			c.log.Info("stopped")
			return c.vitals.server.WhyRestored()
		}
		return err
	}
	c.work(ctx)
	return c.vitals.server.WhyRestored()
}

// endIfRestored ends the work once a backup of the storage was restored. A controller that had stood by begins none.
func (c *Controller) endIfRestored(ctx context.Context, end func()) {
	select {
	case <-ctx.Done():
	case <-c.vitals.server.Restored():
		c.log.Error("exiting so that the controller restarts from the restored data", "error", c.vitals.server.WhyRestored())
		end()
	}
}

func (c *Controller) prepare(ctx context.Context) error {
	if err := c.vitals.server.Install(ctx); err != nil {
		return err
	}
	c.log.Info("crd installed")
	c.vitals.reach(crdInstalled)
	c.watches.start(ctx)
	if err := c.watches.filled(ctx); err != nil {
		return err
	}
	if err := c.listen(); err != nil {
		return err
	}
	if c.stoodBy {
		if err := c.checkStorage(ctx); err != nil {
			return err
		}
	}
	c.log.Info("caches filled", "frameworks", len(c.watches.frameworks.GetStore().ListKeys()))
	return nil
}

// checkStorage returns an apiserver.ErrRestored if the caches hold what a restore of the storage has taken back. The leader may have
// lost its lease by it. To a controller that went by such caches, Pods that they do not show were deleted by somebody else.
func (c *Controller) checkStorage(ctx context.Context) error {
	for _, informer := range c.watches.all() {
		c.vitals.server.NoteVersions("", informer.LastSyncResourceVersion())
	}
	return c.vitals.server.CheckStorage(ctx)
}

func (c *Controller) listen() error {
	l := &listener{watches: c.watches, enqueue: c.queue.enqueue, noteVersions: c.vitals.server.NoteVersions}
	return l.listen()
}

// work runs the rounds, and the actions that they start. What is under way when ctx ends is completed: its
// requests have a timeout of their own.
func (c *Controller) work(ctx context.Context) {
	under := context.WithoutCancel(ctx)
	c.vitals.reach(working)
	var rounds, actions sync.WaitGroup
	rounds.Go(func() { c.vitals.server.KeepContact(ctx) })
	actions.Go(func() { c.performer.pool.Run(under, c.options.RequestsInFlight) })
	for range c.options.Workers {
		rounds.Go(func() {
			for c.processNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.end()
	c.log.Info("stopping")
	c.vitals.reach(stopping)
	c.queue.ShutDown()
	c.limiter.Close()
	c.performer.pool.Close()
	rounds.Wait()
	actions.Wait()
	c.asker.underWay.Wait()
	c.log.Info("stopped")
}

// processNext waits for a slot, then takes the next key and gives its Framework a round. It returns false when ctx
// has ended, although the queue would still hand out what is in it.
func (c *Controller) processNext(ctx context.Context) bool {
	if !c.limiter.Acquire() {
		return false
	}
	key, down := c.queue.Get()
	defer c.limiter.StartHold()()
	if down || ctx.Err() != nil {
		return false
	}
	defer c.queue.Done(key)
	c.requeue(key, c.timed(context.WithoutCancel(ctx), key))
	return true
}

// timed is a round whose progress is followed.
func (c *Controller) timed(ctx context.Context, key cache.ObjectName) error {
	start := time.Now()
	c.vitals.rounds.Begin(key, start)
	defer c.vitals.rounds.End(key)
	err := c.guarded(ctx, key)
	c.options.Observer.RoundEnded(time.Since(start), roundOutcome(err))
	return err
}

// guarded keeps a bug that one object brings to light from stopping all the others.
func (c *Controller) guarded(ctx context.Context, key cache.ObjectName) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(c.log, key, cause)
		}
	}()
	return c.sync(ctx, key)
}

// requeue has a dropped round tried again. That somebody else has written the object in the meantime is no fault.
func (c *Controller) requeue(key cache.ObjectName, err error) {
	switch {
	case err == nil:
		c.queue.Forget(key)
	case errors.Is(err, errStale):
		c.queue.AddRateLimited(key)
	default:
		c.log.Warn("a round is tried again", "framework", key.String(), "error", err)
		c.queue.AddRateLimited(key)
	}
}

// Load is how much the controller has to do at a moment.
type Load struct {
	// Rounds and Actions that are under way.
	Rounds, Actions int
	// Queued are the actions that wait for their turn.
	Queued int
}

// Load returns how much there is to do.
func (c *Controller) Load() Load {
	rounds, actions := c.vitals.rounds.Count(), c.performer.underWay.Count()
	return Load{Rounds: rounds, Actions: actions, Queued: int(c.performer.queued.Load())}
}

// panicked logs what a bug was stopped by, and returns it as an error.
func panicked(log hclog.Logger, key cache.ObjectName, cause any) error {
	log.Error("a panic; please report this", "framework", key.String(), "error", cause, "stack", hclog.Stacktrace())
	return fmt.Errorf("panic: %v", cause)
}
