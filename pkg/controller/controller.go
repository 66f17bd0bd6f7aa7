package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	eventlog "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
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

	now func() time.Time // by which decisions are made; nil means time.Now
}

const defaultRequestsInFlight = 32

// Controller runs the Frameworks of one cluster. There must be only one at a time that runs; others may stand by.
type Controller struct {
	clients *Clients
	options Options
	log     hclog.Logger
	now     func() time.Time

	watches      *watches
	records      records
	holdings     holdings
	largeReading largeReading
	queue        workqueue.TypedRateLimitingInterface[cache.ObjectName]
	turns        *turns
	performer    *performer
	inquiries    sync.WaitGroup  // questions to plugins under way
	asking       context.Context // of them; ends when the controller stops
	events       func(namespace string) eventlog.EventRecorder
	stopEvents   func()

	clock     func() time.Time // of what follows, which tells how the controller itself is
	stage     atomic.Int32
	contact   contact
	inContact atomic.Bool // somebody keeps it
	absence   absence     // known to whoever keeps contact only
	census    census
	rounds    underWay[cache.ObjectName]
	stall     stall
}

// New prepares a controller; Run starts it.
func New(clients *Clients, o Options) (*Controller, error) {
	if o.RequestsInFlight == 0 {
		o.RequestsInFlight = defaultRequestsInFlight
	}
	if o.Observer == nil {
		o.Observer = unobserved{}
	}
	if o.now == nil {
		o.now = time.Now
	}
	o.CRD.log = o.Log
	c := &Controller{
		clients:      clients,
		options:      o,
		log:          o.Log,
		now:          o.now,
		records:      newRecords(),
		holdings:     holdings{limits: o.Memory},
		largeReading: newLargeReading(),
		clock:        time.Now,
	}
	var err error
	if c.watches, err = newWatches(clients, o.History.WantsPods(), &c.holdings); err != nil {
		return nil, err
	}
	c.queue = newQueue(o.QueueMetrics, newLanes(c.records.unhurried))
	c.performer = newPerformer(clients, c.watches, o, c.tell)
	c.turns = newTurns(o.Workers, c.performer.underWay.count)
	c.startEvents()
	return c, c.observeWatches()
}

// newQueue holds keys of Frameworks. A round that fails is tried again after a delay of its own: what happens to
// one Framework does not slow down another.
func newQueue(m workqueue.MetricsProvider, l *lanes) workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	name := ""
	if m != nil {
		name = v1.FrameworkPlural // without a name nothing is measured
	}
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, mostDelay),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{
			Name:            name,
			MetricsProvider: m,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[cache.ObjectName]{
				Name:            name,
				MetricsProvider: m,
				Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[cache.ObjectName]{
					Name:            name,
					MetricsProvider: m,
					Queue:           l,
				}),
			}),
		})
}

func (c *Controller) startEvents() {
	ctx, cancel := context.WithCancel(context.Background())
	c.events = newEvents(ctx, impatientSink{
		EventSink: &typedcorev1.EventSinkImpl{Interface: c.clients.core.CoreV1().Events("")},
		steady:    c.contact.steadySince,
	}).of
	c.stopEvents = cancel
}

// StandBy fills the caches, and keeps them filled until ctx ends, so that Run can begin at once. It writes nothing. It
// may be called once, before Run.
//
// What the caches hold when Run begins may be older than the last that another controller has written. That is so after
// any start, as an API server may fill them from a cache of its own that lags, and it is harmless for the same reason: of
// each Framework, the first round reads the object and its ConfigMap from the storage (read.go), a Pod that is missing is
// asked for before it counts as gone, and one that is shown but gone is deleted by its UID, or found to have another.
func (c *Controller) StandBy(ctx context.Context) {
	c.reach(standingBy)
	c.watches.start(ctx)
	go c.keepContact(ctx)
}

// Run installs the CRD and runs every Framework until ctx ends. It then stops deciding, lets requests under way
// end, and returns nil. It returns an error if it could not start, unless ctx has ended by then.
func (c *Controller) Run(ctx context.Context) error {
	defer c.stopEvents()
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
	if err := InstallCRD(ctx, c.clients, c.options.CRD); err != nil {
		return err
	}
	c.log.Info("crd installed")
	c.reach(crdInstalled)
	c.watches.start(ctx)
	if err := firstError(c.watches.filled(ctx), c.listen()); err != nil {
		return err
	}
	c.log.Info("caches filled", "frameworks", len(c.watches.frameworks.GetStore().ListKeys()))
	return nil
}

// work runs the rounds, and the actions that they start. What is under way when ctx ends is completed: its
// requests have a timeout of their own.
func (c *Controller) work(ctx context.Context) error {
	under := context.WithoutCancel(ctx)
	c.asking = ctx
	c.reach(working)
	var rounds, actions sync.WaitGroup
	rounds.Go(func() { c.keepContact(ctx) })
	actions.Go(func() { c.performer.pool.run(under, c.options.RequestsInFlight) })
	for range c.options.Workers {
		rounds.Go(func() {
			for c.processNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.log.Info("stopping")
	c.reach(stopping)
	c.queue.ShutDown()
	c.turns.close()
	c.performer.pool.close()
	rounds.Wait()
	actions.Wait()
	c.inquiries.Wait()
	c.log.Info("stopped")
	return nil
}

// processNext waits for its turn, then takes the next key and gives its Framework a round. It returns false when ctx
// has ended, although the queue would still hand out what is in it.
func (c *Controller) processNext(ctx context.Context) bool {
	if !c.turns.take() {
		return false
	}
	key, down := c.queue.Get()
	defer c.turns.limit()()
	if down || ctx.Err() != nil {
		return false
	}
	defer c.queue.Done(key)
	c.settle(key, c.timed(context.WithoutCancel(ctx), key))
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

// settle has a dropped round tried again. That somebody else has written the object in the meantime is no fault.
func (c *Controller) settle(key cache.ObjectName, err error) {
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
