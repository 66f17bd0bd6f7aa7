package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// performer performs actions, each when its turn in the pool has come. The path of an action is, from top to bottom: start ->
// run -> throughBreaker -> send. Its result goes to the mailbox of its Framework (handle_result.go).
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
	p.pool.DisableHandoff = clients.Pause > 0 // slow requests are then waiting for the rate limit, and more of them would not help
	return p
}

// performance is one action under way. There is at most one for an object.
type performance struct {
	framework cache.ObjectName
	action    lifecycle.Action
}

func (p performance) String() string { return fmt.Sprintf("%s: %s", p.framework, p.action) }

// request is an action ready to be sent. It must not touch the record.
type request func(context.Context) result

// request makes an action ready to be sent.
func (p *performer) request(r *record, a lifecycle.Action) request {
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return p.createConfigMap(r, a)
	case lifecycle.DeleteConfigMap:
		if a.Force {
			return p.releaseConfigMap(r, a.UID)
		}
		return remove(configMapObject(p.clients, r), deletion{uid: a.UID, confirm: r.dependents.configMap.live != nil})
	case lifecycle.ReadConfigMap:
		return find(configMapObject(p.clients, r), r.dependents.configMap.deleteRequested)
	case lifecycle.ReadItems:
		return p.readItems(r, a.Role)
	case lifecycle.CreatePod:
		return p.createPod(r, a)
	case lifecycle.DeletePod:
		unseen := r.dependents.pod(r.podName(a.Task)).live != nil
		return remove(podObject(p.clients, r, a.Task), deletion{uid: a.UID, grace: gracePeriod(a), confirm: a.Force || unseen})
	case lifecycle.ReadPod:
		return p.findPod(r, a.Task)
	case lifecycle.KeepCompanion:
		if a.Companion == lifecycle.KeySecret {
			return p.keepSecret(r)
		}
		return p.keepService(r)
	case lifecycle.DeleteCompanion:
		return p.deleteCompanion(r, a.Companion)
	case lifecycle.KeepClaim:
		return p.keepClaim(r, a)
	case lifecycle.DeleteClaim:
		return p.deleteClaim(r, a)
	case lifecycle.DeleteFramework:
		return p.removeFramework(r)
	}
	return func(context.Context) result { return result{} }
}

// prepared is an action that can be performed without the record, which belongs to rounds, while this runs outside.
type prepared struct {
	performance
	uid     types.UID // of the Framework
	request request
	bytes   int // size of the request; 0 if it is small
	breaker *flowcontrol.Breaker
	desired *desired
}

// wanted reports whether the stored state of the Framework still calls for the action.
func (a *prepared) wanted() bool { return a.desired.wants(a.action) }

func (p *performer) startAll(r *record, actions []lifecycle.Action) {
	for _, a := range actions {
		p.start(r, a)
	}
}

// start records that an action is under way, and hands it to the pool.
func (p *performer) start(r *record, a lifecycle.Action) {
	ready := p.prepare(r, a)
	r.begin(a)
	p.queued.Add(1)
	p.pool.Submit(r.key, creates(a), flowcontrol.Job{Bytes: ready.bytes, Wanted: ready.wanted, Do: func(ctx context.Context) {
		p.queued.Add(-1)
		p.enqueue(ready.framework, p.run(ctx, ready))
	}})
}

// prepare makes an action ready. A panic counts as a failure of the action: those behind it are started all the same.
func (p *performer) prepare(r *record, a lifecycle.Action) (ready *prepared) {
	ready = &prepared{performance: performance{r.key, a}, uid: r.uid, breaker: r.blockers.breaker(a), desired: r.desired}
	defer func() {
		if cause := recover(); cause != nil {
			outcome := result{err: panicked(p.log, r.key, cause)}
			ready.request, ready.bytes = func(context.Context) result { return outcome }, 0
		}
	}()
	ready.request, ready.bytes = p.request(r, a), r.bytesOf(a)
	return ready
}

// begin records that an action is under way. Before a creation, earlier knowledge about the name is dropped.
func (r *record) begin(a lifecycle.Action) {
	f := r.factsAbout(a)
	f.inFlight = true
	r.noteAsked(a)
	if c, ok := claimOf(a); ok {
		r.dependents.claims.forget(c)
	}
	_, f.creation.underWay = a.(lifecycle.CreatePod)
	if creates(a) {
		f.confirmed, f.creation.refusal = false, nil
	}
}

// run performs an action when its turn has come, and returns its result.
func (p *performer) run(ctx context.Context, a *prepared) result {
	start := time.Now()
	p.underWay.Begin(a.performance, start)
	defer p.underWay.End(a.performance)
	outcome := result{err: errHeldBack}
	if !p.unwanted(a) {
		outcome = p.throughBreaker(ctx, a)
	}
	if !errors.Is(outcome.err, errHeldBack) && !errors.Is(outcome.err, errNotReleased) {
		p.observer.ActionEnded(actionName(a.action), time.Since(start), outcome.outcome())
	}
	outcome.action, outcome.framework = a.action, a.uid
	return outcome
}

// unwanted reports whether the action is no longer wanted. The cache may show the deletion of a Framework before its next
// round, and the garbage collector does not wait for that round.
func (p *performer) unwanted(a *prepared) bool {
	return creates(a.action) && p.watches.deleting(a.framework, a.uid) || !a.wanted()
}

// throughBreaker sends the request, unless another one of the Framework has failed since it was submitted.
func (p *performer) throughBreaker(ctx context.Context, a *prepared) result {
	probe, allowed := a.breaker.Allow(p.now())
	if !allowed {
		return result{err: errHeldBack}
	}
	start := p.now()
	outcome := p.send(ctx, a)
	outcome.probe = probe
	a.breaker.Record(outcome.aboutOthers(p.now().Sub(start)), probe, p.now())
	return outcome
}

// send makes a panic count as a failure of this request only.
func (p *performer) send(ctx context.Context, a *prepared) (outcome result) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome = result{err: panicked(p.log, a.framework, cause)}
		}
	}()
	return a.request(ctx)
}
