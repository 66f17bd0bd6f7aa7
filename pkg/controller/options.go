package controller

import (
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/util/workqueue"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Options configure a Controller.
type Options struct {
	// Workers is how many Frameworks may have a round at the same time; at least 1. It is fewer while the API server
	// is busy.
	Workers int
	// RequestsInFlight is how many actions are under way at the same time; 0 means 32. It is for all Frameworks
	// together, and three quarters of it for one. An action that takes long counts only among those of its Framework
	// and its namespace, which has no more than that, and among all that take long.
	RequestsInFlight int
	// AvoidByHostname has Pods avoid nodes by their label kubernetes.io/hostname, which is then to be the name of the node.
	AvoidByHostname bool
	// CompressEarly stores large statuses compressed before they have to be.
	CompressEarly bool
	// History is told what is about to be dropped; nil if nobody wants to know.
	History *history.Log
	// Lifecycle is what decisions depend on.
	Lifecycle lifecycle.Config
	// Plugins are asked for what is decided outside of the controller; nil if there are none.
	Plugins *consult.Panel
	// Memory bounds what the Frameworks of one author make the controller hold.
	Memory flowcontrol.MemoryLimits
	// CRD is installed at the start.
	CRD apiserver.CRDOptions
	// Log is not nil.
	Log hclog.Logger

	// Observer is told what happens; nil if nobody wants to know.
	Observer Observer
	// QueueMetrics are told of the queue of Frameworks; nil if nobody wants to know.
	QueueMetrics workqueue.MetricsProvider
	// ContactEvery is how often to look whether the API server answers and serves Frameworks; 0 means never. Readiness
	// tells what came of it, and the log when the API server is gone and back.
	ContactEvery time.Duration
}

const defaultRequestsInFlight = 32

func (o Options) withDefaults() Options {
	if o.RequestsInFlight == 0 {
		o.RequestsInFlight = defaultRequestsInFlight
	}
	if o.Observer == nil {
		o.Observer = unobserved{}
	}
	return o
}
