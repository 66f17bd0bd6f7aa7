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
	// Workers is the number of Frameworks that may have a round at the same time; at least 1. Fewer are used while the API server
	// is busy.
	Workers int
	// RequestsInFlight limits the actions under way at the same time; 0 means 32. The limit is for all Frameworks together; one
	// Framework gets up to three quarters of it. A slow action counts only against the limits of its Framework and its namespace,
	// which are the same, and against that of all slow actions.
	RequestsInFlight int
	// AvoidByHostname makes Pods avoid nodes by the label kubernetes.io/hostname, which must then be the name of the node.
	AvoidByHostname bool
	// CompressEarly compresses large statuses before it is necessary.
	CompressEarly bool
	// History receives data that is about to be dropped; nil means no history.
	History *history.Log
	// Lifecycle configures decisions.
	Lifecycle lifecycle.Config
	// HistoryEnvironment keeps the values of environment variables in the objects that sinks of the history get.
	HistoryEnvironment bool
	// Plugins are asked for decisions that are made outside the controller; nil means none.
	Plugins *consult.Panel
	// Memory limits the memory that the Frameworks of one author may take.
	Memory flowcontrol.MemoryLimits
	// EtcdQuota is the quota of the cluster's etcd in bytes, which versions of large statuses must not use up; 0 means no limit.
	EtcdQuota int64
	// CRD configures the CRD, which is installed at the start.
	CRD apiserver.CRDOptions
	// Log must not be nil.
	Log hclog.Logger

	// Observer is notified of activity; nil means none.
	Observer Observer
	// QueueMetrics receives metrics of the queue of Frameworks; nil means none.
	QueueMetrics workqueue.MetricsProvider
	// ContactEvery is the interval of checks that the API server answers and serves Frameworks; 0 means no checks. Readiness
	// reports the result, and the log reports when the API server is lost and back.
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
