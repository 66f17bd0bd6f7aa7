package controller

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// startable leaves out the actions that cannot begin now: one on the same object is under way, and its result
// will bring the question up again; or the Framework waits after a failure, and asks again afterwards. Those whose
// last try has failed come after the others: they may fail again, which holds back what is behind them.
func (c *Controller) startable(r *record, actions []lifecycle.Action) []lifecycle.Action {
	var out []lifecycle.Action
	var again []retry
	now := c.now()
	for _, a := range actions {
		if isQuestion(a) {
			continue
		}
		f, _ := r.subject(a)
		if f.inFlight {
			continue
		}
		// The garbage collector would not wait for a Pod that is created after it has looked.
		deletion, ends := a.(lifecycle.DeleteConfigMap)
		if ends && r.awaitPods(now) {
			continue
		}
		if ends && deletion.Force && now.Before(r.releaseAt) {
			r.retryNotAfter(r.releaseAt)
			continue
		}
		if opens := r.gate(a).opens(); now.Before(opens) {
			r.retryNotAfter(opens)
			continue
		}
		if !f.failedAt.IsZero() {
			again = append(again, retry{a, f.failedAt})
			continue
		}
		out = append(out, a)
	}
	return append(out, inTurn(again)...)
}

// retry is an action whose last try has failed.
type retry struct {
	action   lifecycle.Action
	failedAt time.Time
}

// inTurn has the one first that has waited longest.
func inTurn(again []retry) []lifecycle.Action {
	slices.SortStableFunc(again, func(x, y retry) int { return x.failedAt.Compare(y.failedAt) })
	out := make([]lifecycle.Action, len(again))
	for i := range again {
		out[i] = again[i].action
	}
	return out
}

// retryNotAfter has every Task looked at again at that time, or earlier.
func (r *record) retryNotAfter(at time.Time) {
	if r.retryAt.IsZero() || at.Before(r.retryAt) {
		r.retryAt = at
	}
}

// gate holds back creations, or everything else: a quota that refuses Pods must not keep others from being
// deleted.
func (r *record) gate(a lifecycle.Action) *gate {
	if creates(a) {
		return r.creations
	}
	return r.others
}

func creates(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.CreateConfigMap, lifecycle.CreatePod:
		return true
	}
	return false
}

func (c *Controller) startAll(r *record, actions []lifecycle.Action) {
	for _, a := range actions {
		c.start(r, a)
	}
}

// start hands an action to the pool. Its result comes back through the inbox.
func (c *Controller) start(r *record, a lifecycle.Action) {
	request, gate, stand, uid := c.requestGuarded(r, a), r.gate(a), r.stand, r.uid
	f, _ := r.subject(a)
	_, f.creating = a.(lifecycle.CreatePod)
	f.inFlight = true
	if creates(a) {
		f.asked, f.refusal = false, nil
	}
	wanted := func() bool { return stand.wants(a) }
	c.submit(r.key, a, wanted, func(ctx context.Context) result {
		outcome := result{err: errHeldBack}
		// The Framework's next round may be far, and the garbage collector does not wait for it.
		late := creates(a) && c.watches.deleting(r.key, uid)
		if !late && wanted() {
			outcome = c.performGated(ctx, r.key, gate, request)
		}
		outcome.action, outcome.framework = a, uid
		return outcome
	})
}

// request is an action made ready to be sent. It must not touch the record.
type request func(context.Context) result

// performGated sends the request, unless another of the Framework's has failed since it was submitted.
func (c *Controller) performGated(ctx context.Context, key cache.ObjectName, g *gate, send request) result {
	if c.now().Before(g.opens()) {
		return result{err: errHeldBack}
	}
	outcome := c.sendGuarded(ctx, key, send)
	switch {
	case outcome.transient():
		g.failed(c.now())
	case outcome.err == nil:
		g.succeeded()
	}
	return outcome
}

// sendGuarded lets a bug that one request brings to light count as a failure of it.
func (c *Controller) sendGuarded(ctx context.Context, key cache.ObjectName, send request) (outcome result) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome = result{err: c.panicked(key, cause)}
		}
	}()
	return send(ctx)
}

var (
	// errHeldBack: not tried, because another action of the Framework has just failed, or it came too late.
	errHeldBack = errors.New("not tried")
	// errNameTaken: another object holds the name.
	errNameTaken = errors.New("the name is taken")
	// errStillThere: an object whose deletion was accepted has not gone yet.
	errStillThere = errors.New("the object has not gone yet")
)

// undecided reports whether it is not known if the action has taken effect.
func (n result) undecided() bool {
	return n.transient() && !declined(n.err) && !errors.Is(n.err, errNameTaken)
}

// transient reports whether the action failed for a reason that may pass.
func (n result) transient() bool {
	var refused *refusedError
	return n.err != nil && !errors.As(n.err, &refused) && !errors.Is(n.err, errHeldBack)
}

// requestGuarded lets a bug that making one request ready brings to light count as a failure of it, too: the actions
// behind it are started all the same.
func (c *Controller) requestGuarded(r *record, a lifecycle.Action) (ready request) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome := result{err: c.panicked(r.key, cause)}
			ready = func(context.Context) result { return outcome }
		}
	}()
	return c.request(r, a)
}

// request makes an action ready.
func (c *Controller) request(r *record, a lifecycle.Action) request {
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return c.createConfigMap(r, a)
	case lifecycle.DeleteConfigMap:
		if a.Force {
			return c.releaseConfigMap(r, a.UID)
		}
		return c.remove(c.configMaps(r), deletion{uid: a.UID, confirm: r.configMap.live != nil})
	case lifecycle.ReadConfigMap:
		return c.find(c.configMaps(r), r.configMap.deleteRequested)
	case lifecycle.CreatePod:
		return c.createPod(r, a)
	case lifecycle.DeletePod:
		unseen := r.pod(r.podName(a.Task)).live != nil
		return c.remove(c.podNamed(r, a.Task), deletion{uid: a.UID, grace: gracePeriod(a.Force), confirm: a.Force || unseen})
	case lifecycle.ReadPod:
		return c.find(c.podNamed(r, a.Task), r.pod(r.podName(a.Task)).deleteRequested)
	case lifecycle.DeleteFramework:
		return c.removeFramework(r)
	}
	return func(context.Context) result { return result{} }
}

// nameOf names the object of an action; the Framework itself is the empty name.
func (r *record) nameOf(a lifecycle.Action) string {
	if ref, ok := taskOf(a); ok {
		return r.podName(ref)
	}
	if _, ok := a.(lifecycle.DeleteFramework); ok {
		return ""
	}
	return configMapName(r)
}
