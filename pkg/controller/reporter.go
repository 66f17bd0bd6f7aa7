package controller

import (
	"context"

	"github.com/hashicorp/go-hclog"
	eventlog "k8s.io/client-go/tools/record"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
)

// reporter tells what has happened: users by Events and the log, operators by metrics and counts.
type reporter struct {
	log      hclog.Logger
	observer Observer
	events   func(namespace string) eventlog.EventRecorder
	stop     func() // sending Events
	counts   *counts.StateCounts
	history  *historyWriter
}

func newReporter(clients *apiserver.Clients, o Options, s *apiserver.Server) *reporter {
	ctx, cancel := context.WithCancel(context.Background())
	rep := &reporter{log: o.Log, observer: o.Observer, stop: cancel, counts: counts.New(waitingReasons)}
	rep.history = &historyWriter{log: o.History, reporter: rep}
	rep.events = apiserver.NewEvents(ctx, clients, s.SteadySince).Of
	return rep
}

// historyWriter writes to the history what is about to be lost.
type historyWriter struct {
	log      *history.Log // nil if nobody wants to know
	reporter *reporter
}
