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

// StandBy fills the caches, and keeps them filled until ctx ends, so that Run can start at once. It writes nothing. It may be
// called once, before Run.
//
// When Run begins, the caches may be older than the last write of another controller. This is so after any start, as an API
// server may fill them from a lagging cache of its own, and it is harmless for the same reason: the first round of each
// Framework reads the object and its ConfigMap from the storage (read.go), a missing Pod is looked up before it counts as
// gone, and one that is shown but gone is deleted by its UID, or found to have another UID.
func (c *Controller) StandBy(ctx context.Context) {
	c.stoodBy = true
	c.vitals.reach(standingBy)
	c.watches.start(ctx)
	go c.vitals.server.KeepContact(ctx)
}

// Run installs the CRD and runs every Framework until ctx ends. It then stops deciding, lets requests under way end, and
// returns nil. It returns an error if it could not start, unless ctx has ended by then. It returns an apiserver.ErrRestored as
// soon as it finds that a backup of the storage was restored; the caller must then start another process.
func (c *Controller) Run(ctx context.Context) error {
	defer c.reporter.stop()
	defer c.queue.ShutDown() // even if there was no work
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

// endIfRestored ends the work once a backup of the storage was restored. A controller that is standing by then never starts.
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

// checkStorage returns an apiserver.ErrRestored if the caches have newer data than a storage restored from a backup. The
// restore may have taken the lease from the leader. With such caches, missing Pods would look as if somebody else had deleted
// them.
func (c *Controller) checkStorage(ctx context.Context) error {
	for _, informer := range c.watches.all() {
		c.vitals.server.NoteVersions("", informer.LastSyncResourceVersion())
	}
	return c.vitals.server.CheckStorage(ctx)
}

func (c *Controller) listen() error {
	l := &listener{watches: c.watches, enqueue: c.queue.enqueue, othersChanged: c.others.changed, noteVersions: c.vitals.server.NoteVersions}
	return l.listen()
}

// work runs the rounds and their actions. When ctx ends, requests under way are completed: they have timeouts of their own.
func (c *Controller) work(ctx context.Context) {
	under := context.WithoutCancel(ctx)
	c.vitals.reach(working)
	var rounds, actions sync.WaitGroup
	rounds.Go(func() { c.vitals.server.KeepContact(ctx) })
	rounds.Go(func() { c.presence.run(ctx) })
	actions.Go(func() { c.performer.pool.Run(under, c.options.RequestsInFlight) })
	actions.Go(func() { c.asker.logs.pool.Run(under, logsAtATime) })
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
	c.asker.logs.pool.Close()
	rounds.Wait()
	actions.Wait()
	c.asker.underWay.Wait()
	c.log.Info("stopped")
}

// processNext waits for a slot, takes the next key and runs a round of its Framework. It returns false when ctx has ended,
// even if the queue still has keys.
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

// timed runs a round whose progress is tracked.
func (c *Controller) timed(ctx context.Context, key cache.ObjectName) error {
	start := time.Now()
	c.vitals.rounds.Begin(key, start)
	defer c.vitals.rounds.End(key)
	err := c.guarded(ctx, key)
	c.options.Observer.RoundEnded(time.Since(start), roundOutcome(err))
	return err
}

// guarded confines a panic to one Framework.
func (c *Controller) guarded(ctx context.Context, key cache.ObjectName) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(c.log, key, cause)
		}
	}()
	return c.sync(ctx, key)
}

// requeue schedules another try of a dropped round. A write by somebody else in the meantime is not a fault.
func (c *Controller) requeue(key cache.ObjectName, err error) {
	switch {
	case err == nil:
		c.queue.Forget(key)
	case errors.Is(err, errStale):
		c.queue.AddRateLimited(key)
	default:
		c.log.Warn("retrying a round", "framework", key.String(), "error", err)
		c.queue.AddRateLimited(key)
	}
}

// Load is the current amount of work.
type Load struct {
	// Rounds and Actions are the numbers of those under way.
	Rounds, Actions int
	// Queued is the number of actions that wait for their turn.
	Queued int
}

// Load returns the current amount of work.
func (c *Controller) Load() Load {
	rounds, actions := c.vitals.rounds.Count(), c.performer.underWay.Count()
	return Load{Rounds: rounds, Actions: actions, Queued: int(c.performer.queued.Load())}
}

// panicked logs a panic, and returns it as an error.
func panicked(log hclog.Logger, key cache.ObjectName, cause any) error {
	log.Error("a panic; please report this", "framework", key.String(), "error", cause, "stack", hclog.Stacktrace())
	return fmt.Errorf("panic: %v", cause)
}
