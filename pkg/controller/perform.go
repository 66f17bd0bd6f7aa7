package controller

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// startable leaves out the actions that cannot begin now: one on the same object is under way, and its result
// will bring the question up again; or the Framework waits after a failure, and asks again afterwards.
func (c *Controller) startable(r *record, actions []lifecycle.Action) []lifecycle.Action {
	var able []try
	now := c.now()
	for _, a := range actions {
		if isQuestion(a) {
			continue
		}
		if f, _ := r.subject(a); !f.inFlight && r.mayBegin(a, f, now) {
			able = append(able, r.tryOf(a, f))
		}
	}
	return r.withinRoom(inTurn(able), now)
}

// mayBegin reports whether nothing is to be waited for before the action about that object. If something is, it sees to it
// that the question comes up again.
func (r *record) mayBegin(a lifecycle.Action, about *facts, now time.Time) bool {
	notBefore := r.gate(a).opens()
	switch a := a.(type) {
	case lifecycle.DeleteConfigMap:
		// The garbage collector would not wait for a Pod that is created after it has looked.
		if awaits, until := r.dependents.awaitPods(now); awaits {
			r.schedule.retryNotAfter(until)
			return false
		}
		if a.Force {
			notBefore = later(notBefore, r.dependents.releaseAt)
		}
	case lifecycle.CreatePod:
		notBefore = later(notBefore, about.creation.refusals.until)
	}
	if now.Before(notBefore) {
		r.schedule.retryNotAfter(notBefore)
		return false
	}
	return true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// withinRoom leaves out the actions for which their gate has no room. The answer to the probe brings them up again; if
// that is not sent after all, time does.
func (r *record) withinRoom(actions []lifecycle.Action, now time.Time) (out []lifecycle.Action) {
	room := map[*gate]int{r.blockers.creations: r.blockers.creations.room(), r.blockers.others: r.blockers.others.room()}
	for _, a := range actions {
		g := r.gate(a)
		if room[g] == 0 {
			r.schedule.retryNotAfter(now.Add(mostDelay))
			continue
		}
		room[g]--
		out = append(out, a)
	}
	return out
}

// gate holds back creations, or everything else: a quota that refuses Pods must not keep others from being
// deleted.
func (r *record) gate(a lifecycle.Action) *gate {
	if creates(a) {
		return r.blockers.creations
	}
	return r.blockers.others
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
	request, bytes := c.requestGuarded(r, a)
	gate, stand, uid := r.gate(a), r.stand, r.uid
	f, _ := r.subject(a)
	_, f.creation.underWay = a.(lifecycle.CreatePod)
	f.inFlight = true
	if creates(a) {
		f.asked, f.creation.refusal = false, nil
	}
	wanted := func() bool { return stand.wants(a) }
	c.submit(r.key, a, bytes, wanted, func(ctx context.Context) result {
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
	probe, entered := g.enter(c.now())
	if !entered {
		return result{err: errHeldBack}
	}
	outcome := c.sendGuarded(ctx, key, send)
	outcome.probe = probe
	g.leave(outcome, c.now())
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

// ofItsObject reports whether the action failed for a reason that concerns no other: the API server has looked at quotas
// and webhooks before it finds a name taken, and has answered well about what has not gone yet.
func (n result) ofItsObject() bool {
	return errors.Is(n.err, errNameTaken) || errors.Is(n.err, errStillThere)
}

// requestGuarded lets a bug that making one request ready brings to light count as a failure of it, too: the actions
// behind it are started all the same.
func (c *Controller) requestGuarded(r *record, a lifecycle.Action) (ready request, bytes int) {
	defer func() {
		if cause := recover(); cause != nil {
			outcome := result{err: c.panicked(r.key, cause)}
			ready = func(context.Context) result { return outcome }
		}
	}()
	return c.request(r, a), r.bytesOf(a)
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
		return c.remove(c.configMaps(r), deletion{uid: a.UID, confirm: r.dependents.configMap.live != nil})
	case lifecycle.ReadConfigMap:
		return c.find(c.configMaps(r), r.dependents.configMap.deleteRequested)
	case lifecycle.CreatePod:
		return c.createPod(r, a)
	case lifecycle.DeletePod:
		unseen := r.dependents.pod(r.podName(a.Task)).live != nil
		return c.remove(c.podNamed(r, a.Task), deletion{uid: a.UID, grace: gracePeriod(a.Force), confirm: a.Force || unseen})
	case lifecycle.ReadPod:
		return c.find(c.podNamed(r, a.Task), r.dependents.pod(r.podName(a.Task)).deleteRequested)
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
