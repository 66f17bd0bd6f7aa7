package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

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
		broken: "Services of Frameworks cannot be watched; they are looked for every few minutes", log: o.Log,
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
		writer: c.writer, reporter: c.reporter, server: c.vitals.server,
	}
	c.asker = &asker{
		panel: o.Plugins, clients: clients, watches: watches, reporter: c.reporter, enqueue: c.queue.enqueue, now: now, log: o.Log,
		watched: &objectWatches[[]byte]{
			client: clients.ObjectWatch, reading: readingHintObjects, memory: memory, changed: telling(c.queue.enqueue, hintsChanged{}),
			broken: "what a scheduler says cannot be watched; it is asked every few seconds", log: o.Log,
		},
		served: &servedVersions{client: clients.Core.CoreV1().RESTClient(), now: now},
	}
	return c, watches.reportBreaks(o.Observer)
}
