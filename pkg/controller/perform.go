package controller

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// prepared is an action that can be performed without the record: that belongs to rounds, and this runs outside.
type prepared struct {
	performance
	uid     types.UID // of the Framework
	request request
	bytes   int // that the request takes, if that may be much
	breaker *flowcontrol.Breaker
	desired *desired
}

// wanted reports whether what is stored of the Framework calls for the action still.
func (a *prepared) wanted() bool { return a.desired.wants(a.action) }

func (p *performer) startAll(r *record, actions []lifecycle.Action) {
	for _, a := range actions {
		p.start(r, a)
	}
}

// start notes that an action is under way, and hands it to the pool.
func (p *performer) start(r *record, a lifecycle.Action) {
	ready := p.prepare(r, a)
	r.begin(a)
	p.queued.Add(1)
	p.pool.Submit(r.key, creates(a), flowcontrol.Job{Bytes: ready.bytes, Wanted: ready.wanted, Do: func(ctx context.Context) {
		p.queued.Add(-1)
		p.enqueue(ready.framework, p.run(ctx, ready))
	}})
}

// prepare makes an action ready. A bug that this brings to light counts as a failure of the action: those behind it are
// started all the same.
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

// begin notes that an action is under way. What was known of the name before a creation does not count any more.
func (r *record) begin(a lifecycle.Action) {
	f := r.factsAbout(a)
	f.inFlight = true
	r.noteAsked(a)
	_, f.creation.underWay = a.(lifecycle.CreatePod)
	if creates(a) {
		f.confirmed, f.creation.refusal = false, nil
	}
}

// run performs an action, its turn having come, and returns what became of it.
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

// unwanted reports whether the action is not wanted any more, now that its turn has come. That a Framework is being deleted
// the cache may show earlier than its next round, for which the garbage collector does not wait.
func (p *performer) unwanted(a *prepared) bool {
	return creates(a.action) && p.watches.deleting(a.framework, a.uid) || !a.wanted()
}

// throughBreaker sends the request, unless another of the Framework's has failed since it was submitted.
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

// send lets a bug that one request brings to light count as a failure of it.
func (p *performer) send(ctx context.Context, a *prepared) (outcome result) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome = result{err: panicked(p.log, a.framework, cause)}
		}
	}()
	return a.request(ctx)
}
