package controller

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// NewClients connects to the API server, see apiserver.NewClients.
func NewClients(base *rest.Config) (*apiserver.Clients, error) {
	return apiserver.NewClients(base, podview.Codecs())
}

// Controller runs the Frameworks of one cluster. Only one may run at a time; others may stand by.
//
// It has the rounds (run.go, sync.go), and schedules them. Reading, storing, acting, asking and reporting are done by the
// parts that newController gives it.
type Controller struct {
	options Options
	log     hclog.Logger
	now     func() time.Time
	queue   *roundQueue
	limiter *flowcontrol.Limiter // of rounds
	end     func()               // ends questions to plugins, and optional watches
	stoodBy bool                 // StandBy was called before Run

	watches   *watches
	others    *others
	reader    *reader
	writer    *writer
	performer *performer
	asker     *asker
	reporter  *reporter
	vitals    *vitals
	presence  *presence
}

// New prepares a controller; Run starts it.
func New(clients *apiserver.Clients, o Options) (*Controller, error) {
	return newController(clients, o, time.Now)
}

// newController returns a controller whose decisions use the given clock.
func newController(clients *apiserver.Clients, o Options, now func() time.Time) (*Controller, error) {
	o = o.withDefaults()
	memory := flowcontrol.NewMemoryBudget(o.Memory)
	watches, err := newWatches(clients, o.History.WantsPods(), o.Plugins.Archives, o.Plugins.JudgePending, memory)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	c := &Controller{options: o, log: o.Log, now: now, end: end, queue: newRoundQueue(o.QueueMetrics, o.AvoidByHostname), watches: watches}
	watches.companions = hintobjects.NewWatches(life, hintobjects.WatchOptions[selection]{
		Client: clients.ObjectWatch, Reading: readingServices, Memory: memory, ObjectBytes: objectBytes,
		Changed: telling(c.queue.enqueue, companionsChanged{}), Log: o.Log,
		Broken: "Services of Frameworks cannot be watched; checking every few minutes instead",
	})
	c.others = newOthers(watches.framework, c.queue.enqueue)
	c.vitals = &vitals{options: o, pause: clients.Pause, clock: time.Now, watches: watches, queue: c.queue}
	c.vitals.server = apiserver.NewServer(clients, apiserver.ServerOptions{
		CRD: o.CRD, Every: o.ContactEvery, Log: o.Log,
		Working: func() bool { return c.vitals.reached() == working },
	})
	c.reporter = newReporter(clients, o, c.vitals.server)
	c.performer = newPerformer(clients, watches, o, c.queue.enqueue, now)
	c.vitals.actions = &c.performer.underWay
	c.limiter = flowcontrol.NewLimiter(o.Workers, c.performer.underWay.Count)
	c.writer = &writer{clients: clients, reporter: c.reporter, server: c.vitals.server, limiter: c.limiter, storage: flowcontrol.NewStorageBudget(o.EtcdQuota), now: now}
	c.reader = &reader{
		clients: clients, watches: watches, queue: c.queue, limiter: c.limiter, memory: memory, now: now,
		compressEarly: o.CompressEarly, largeReads: flowcontrol.NewLargeReads(),
		writer: c.writer, reporter: c.reporter, server: c.vitals.server,
	}
	c.asker = &asker{
		panel: o.Plugins, clients: clients, watches: watches, reporter: c.reporter, enqueue: c.queue.enqueue, now: now, log: o.Log, ctx: life,
		watched: hintobjects.NewWatches(life, hintobjects.WatchOptions[[]byte]{
			Client: clients.ObjectWatch, Reading: hintobjects.AttemptObjects, Memory: memory, ObjectBytes: objectBytes,
			Changed: telling(c.queue.enqueue, hintsChanged{}), Log: o.Log,
			Broken: "scheduler objects cannot be watched; polling every few seconds instead",
		}),
		kinds:  hintobjects.NewKinds(clients),
		served: hintobjects.NewServedVersions(clients.Core.CoreV1().RESTClient(), now),
	}
	c.asker.archiver = &archiver{panel: o.Plugins, environment: o.HistoryEnvironment, reporter: c.reporter, log: o.Log, ctx: life, underWay: &c.asker.underWay, turns: make(chan struct{}, turnsAtMost)}
	c.reader.archiver = c.asker.archiver
	c.asker.logs = newLogCollector(life, o)
	c.asker.shadow = &shadow{panel: o.Plugins, archiver: c.asker.archiver, observer: o.Observer, log: o.Log, now: now, ctx: life,
		underWay: &c.asker.underWay, turns: make(chan struct{}, shadowsAtATime)}
	c.asker.events = newPodEvents(clients, now)
	c.presence = newPresence(clients, o, now)
	return c, watches.reportBreaks(o.Observer)
}

// telling returns a function that puts an event into the mailbox of a Framework.
func telling(enqueue func(cache.ObjectName, event), e event) func(cache.ObjectName) {
	return func(framework cache.ObjectName) { enqueue(framework, e) }
}
