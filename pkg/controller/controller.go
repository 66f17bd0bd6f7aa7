package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Options configure a Controller.
type Options struct {
	// Workers is how many Frameworks may have a round at the same time; at least 1. It is fewer while the API server
	// is busy.
	Workers int
	// RequestsInFlight is how many actions are under way at the same time, for all Frameworks together, and three quarters
	// of that for one; 0 means 32. An action that takes long counts only among those of its Framework and its namespace,
	// which has no more than that, and among all that take long.
	RequestsInFlight int
	// CompressEarly stores large statuses compressed before they have to be.
	CompressEarly bool
	// History is told what is about to be dropped; nil if nobody wants to know.
	History *history.Log
	// Lifecycle is what decisions depend on.
	Lifecycle lifecycle.Config
	// Plugins are asked for what is decided outside of the controller; nil if there are none.
	Plugins *consult.Panel
	// Memory bounds what the Frameworks of one author make the controller hold.
	Memory MemoryLimits
	// CRD is installed at the start.
	CRD CRDOptions
	// Log is not nil.
	Log hclog.Logger

	// Observer is told what happens; nil if nobody wants to know.
	Observer Observer
	// QueueMetrics are told of the queue of Frameworks; nil if nobody wants to know.
	QueueMetrics workqueue.MetricsProvider
	// ContactEvery is how often to look whether the API server answers and serves Frameworks, which Readiness tells, and
	// the log when the API server is gone and back; 0 means never.
	ContactEvery time.Duration
}

const defaultRequestsInFlight = 32

// Controller runs the Frameworks of one cluster. There must be only one at a time that runs; others may stand by.
//
// It has the rounds: it decides by itself only when each is due (sync.go). What a round reads, stores, does, asks and tells
// is done by those that it wires here.
type Controller struct {
	options Options
	log     hclog.Logger
	now     func() time.Time
	queue   *roundQueue
	limiter *flowcontrol.Limiter // of rounds

	watches   *watches
	reader    *reader
	writer    *writer
	performer *performer
	asker     *asker
	reporter  *reporter
	vitals    *vitals
}

// New prepares a controller; Run starts it.
func New(clients *Clients, o Options) (*Controller, error) {
	return newController(clients, o, time.Now)
}

// newController has decisions made by a clock.
func newController(clients *Clients, o Options, now func() time.Time) (*Controller, error) {
	o = o.withDefaults()
	holdings := &holdings{limits: o.Memory}
	watches, err := newWatches(clients, o.History.WantsPods(), holdings)
	if err != nil {
		return nil, err
	}
	c := &Controller{options: o, log: o.Log, now: now, queue: newRoundQueue(o.QueueMetrics), watches: watches}
	c.vitals = &vitals{options: o, pause: clients.pause, clock: time.Now, watches: watches, queue: c.queue}
	c.vitals.server = newServer(clients, o, c.vitals)
	c.reporter = newReporter(clients, o, c.vitals.server)
	c.performer = newPerformer(clients, watches, o, c.queue.enqueue, now)
	c.vitals.actions = &c.performer.underWay
	c.limiter = flowcontrol.NewLimiter(o.Workers, c.performer.underWay.Count)
	c.writer = &writer{clients: clients, reporter: c.reporter, server: c.vitals.server, limiter: c.limiter, now: now}
	c.reader = &reader{
		clients: clients, watches: watches, queue: c.queue, limiter: c.limiter, holdings: holdings, now: now,
		compressEarly: o.CompressEarly, largeReading: newLargeReading(),
		writer: c.writer, reporter: c.reporter,
	}
	c.asker = &asker{
		panel: o.Plugins, clients: clients, watches: watches, reporter: c.reporter, enqueue: c.queue.enqueue, now: now, log: o.Log,
	}
	return c, watches.reportBreaks(o.Observer)
}

func (o Options) withDefaults() Options {
	if o.RequestsInFlight == 0 {
		o.RequestsInFlight = defaultRequestsInFlight
	}
	if o.Observer == nil {
		o.Observer = unobserved{}
	}
	o.CRD.log = o.Log
	return o
}

// StandBy fills the caches, and keeps them filled until ctx ends, so that Run can begin at once. It writes nothing. It
// may be called once, before Run.
//
// What the caches hold when Run begins may be older than the last that another controller has written. That is so after
// any start, as an API server may fill them from a cache of its own that lags, and it is harmless for the same reason: of
// each Framework, the first round reads the object and its ConfigMap from the storage (read.go), a Pod that is missing is
// asked for before it counts as gone, and one that is shown but gone is deleted by its UID, or found to have another.
func (c *Controller) StandBy(ctx context.Context) {
	c.vitals.reach(standingBy)
	c.watches.start(ctx)
	go c.vitals.server.keepContact(ctx)
}

// Run installs the CRD and runs every Framework until ctx ends. It then stops deciding, lets requests under way
// end, and returns nil. It returns an error if it could not start, unless ctx has ended by then.
func (c *Controller) Run(ctx context.Context) error {
	defer c.reporter.stop()
	defer c.queue.ShutDown() // also if there was no work
	if err := c.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			c.log.Info("stopped")
			return nil
		}
		return err
	}
	return c.work(ctx)
}

func (c *Controller) prepare(ctx context.Context) error {
	if err := c.vitals.server.install(ctx); err != nil {
		return err
	}
	c.log.Info("crd installed")
	c.vitals.reach(crdInstalled)
	c.watches.start(ctx)
	if err := firstError(c.watches.filled(ctx), c.listen()); err != nil {
		return err
	}
	c.log.Info("caches filled", "frameworks", len(c.watches.frameworks.GetStore().ListKeys()))
	return nil
}

func (c *Controller) listen() error {
	l := &listener{watches: c.watches, enqueue: c.queue.enqueue}
	return l.listen()
}

// work runs the rounds, and the actions that they start. What is under way when ctx ends is completed: its
// requests have a timeout of their own.
func (c *Controller) work(ctx context.Context) error {
	under := context.WithoutCancel(ctx)
	c.asker.ctx = ctx
	c.vitals.reach(working)
	var rounds, actions sync.WaitGroup
	rounds.Go(func() { c.vitals.server.keepContact(ctx) })
	actions.Go(func() { c.performer.pool.run(under, c.options.RequestsInFlight) })
	for range c.options.Workers {
		rounds.Go(func() {
			for c.processNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.log.Info("stopping")
	c.vitals.reach(stopping)
	c.queue.ShutDown()
	c.limiter.Close()
	c.performer.pool.close()
	rounds.Wait()
	actions.Wait()
	c.asker.underWay.Wait()
	c.log.Info("stopped")
	return nil
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

// guarded keeps a bug that one object brings to light from stopping all the others.
func (c *Controller) guarded(ctx context.Context, key cache.ObjectName) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(c.log, key, cause)
		}
	}()
	return c.sync(ctx, key)
}

// panicked logs what a bug was stopped by, and returns it as an error.
func panicked(log hclog.Logger, key cache.ObjectName, cause any) error {
	log.Error("a panic; please report this", "framework", key.String(), "error", cause, "stack", hclog.Stacktrace())
	return fmt.Errorf("panic: %v", cause)
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
