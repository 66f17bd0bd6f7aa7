package controller

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// performer performs actions, each when its turn in the pool has come. The way of an action is perform.go, from top to
// bottom: start -> run -> throughBreaker -> send. Its result comes to the mailbox of its Framework (handle_result.go).
type performer struct {
	clients  *apiserver.Clients
	watches  *watches
	observer Observer
	enqueue  func(cache.ObjectName, event)
	log      hclog.Logger
	now      func() time.Time

	pool      *flowcontrol.Pool
	underWay  flowcontrol.InProgress[performance]
	queued    atomic.Int64 // actions that wait for their turn
	releasing sync.Mutex   // of a ConfigMap
}

func newPerformer(clients *apiserver.Clients, w *watches, o Options, enqueue func(cache.ObjectName, event), now func() time.Time) *performer {
	p := &performer{clients: clients, watches: w, observer: o.Observer, enqueue: enqueue, log: o.Log, now: now, pool: flowcontrol.NewPool()}
	p.pool.DisableHandoff = clients.Pause > 0 // what takes long then waits here for its turn, and more would not help
	return p
}

// performance is one action of one Framework. There is at most one of it under way.
type performance struct {
	framework cache.ObjectName
	action    lifecycle.Action
}

func (p performance) String() string { return fmt.Sprintf("%s: %s", p.framework, p.action) }

// request is an action made ready to be sent. It must not touch the record.
type request func(context.Context) result
