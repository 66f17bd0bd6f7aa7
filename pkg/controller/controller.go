package controller

import (
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// NewClients connects to the API server, see apiserver.NewClients.
func NewClients(base *rest.Config) (*apiserver.Clients, error) {
	return apiserver.NewClients(base, podview.Codecs())
}

// Controller runs the Frameworks of one cluster. There must be only one at a time that runs; others may stand by.
//
// It has the rounds (run.go, sync.go), and says when each is due. What a round reads, stores, does, asks and reports is done
// by those that newController gives it.
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
func New(clients *apiserver.Clients, o Options) (*Controller, error) {
	return newController(clients, o, time.Now)
}

// newController has decisions made by a clock.
func newController(clients *apiserver.Clients, o Options, now func() time.Time) (*Controller, error) {
	o = o.withDefaults()
	memory := flowcontrol.NewMemoryBudget(o.Memory)
	watches, err := newWatches(clients, o.History.WantsPods(), o.Plugins.JudgePending, memory)
	if err != nil {
		return nil, err
	}
	c := &Controller{options: o, log: o.Log, now: now, queue: newRoundQueue(o.QueueMetrics, o.AvoidByHostname), watches: watches}
	watches.companions = &objectWatches[selection]{
		client: clients.ObjectWatch, reading: readingServices, memory: memory, changed: telling(c.queue.enqueue, companionsChanged{}),
		broken: "Services of Frameworks cannot be watched; checking every few minutes instead", log: o.Log,
	}
	c.vitals = &vitals{options: o, pause: clients.Pause, clock: time.Now, watches: watches, queue: c.queue}
	c.vitals.server = apiserver.NewServer(clients, apiserver.ServerOptions{
		CRD: o.CRD, Every: o.ContactEvery, Log: o.Log,
		Working: func() bool { return c.vitals.reached() == working },
	})
	c.reporter = newReporter(clients, o, c.vitals.server)
	c.performer = newPerformer(clients, watches, o, c.queue.enqueue, now)
	c.vitals.actions = &c.performer.underWay
	c.limiter = flowcontrol.NewLimiter(o.Workers, c.performer.underWay.Count)
	c.writer = &writer{clients: clients, reporter: c.reporter, server: c.vitals.server, limiter: c.limiter, now: now}
	c.reader = &reader{
		clients: clients, watches: watches, queue: c.queue, limiter: c.limiter, memory: memory, now: now,
		compressEarly: o.CompressEarly, largeReads: flowcontrol.NewLargeReads(),
		writer: c.writer, reporter: c.reporter,
	}
	c.asker = &asker{
		panel: o.Plugins, clients: clients, watches: watches, reporter: c.reporter, enqueue: c.queue.enqueue, now: now, log: o.Log,
		watched: &objectWatches[[]byte]{
			client: clients.ObjectWatch, reading: readingHintObjects, memory: memory, changed: telling(c.queue.enqueue, hintsChanged{}),
			broken: "scheduler objects cannot be watched; polling every few seconds instead", log: o.Log,
		},
		served: &servedVersions{client: clients.Core.CoreV1().RESTClient(), now: now},
	}
	return c, watches.reportBreaks(o.Observer)
}
