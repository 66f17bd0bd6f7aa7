package lifecycletest

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// flight is an action under way: first its request reaches the API server, then the answer comes back.
type flight struct {
	name   name
	action lifecycle.Action
	// send makes the request; take enters what became of it into the notes.
	send func() error
	take func(error)

	sent bool
	err  error
}

// perform starts what the core asked for, now that the state that justifies it is stored. There is one action per
// name at a time; what cannot be started now will be asked for again.
func (c *controller) perform(actions []lifecycle.Action) {
	life := c.lives
	for _, action := range actions {
		if c.ask(action) {
			continue
		}
		n := target(action)
		note := c.note(n)
		switch {
		case note.flying:
		case note.done == action && c.server.now.Before(note.doneAt.Add(pause)):
			c.retry[n] = note.doneAt.Add(pause)
		default:
			c.launch(n, action)
		}
		for !c.async && c.advance(0) {
		}
		if c.lives != life {
			return
		}
	}
}

func (c *controller) launch(n name, action lifecycle.Action) {
	c.hooks.started(action)
	f := &flight{name: n, action: action}
	c.prepare(f)
	c.note(n).flying = true
	c.flights = append(c.flights, f)
}

// advance takes the i-th flight one step further, and reports whether there is one.
func (c *controller) advance(i int) bool {
	if i >= len(c.flights) {
		return false
	}
	f := c.flights[i]
	if !f.sent {
		if !c.faults.survive() {
			c.restart(0)
			return true
		}
		f.err, f.sent = f.send(), true
		return true
	}
	c.flights = append(c.flights[:i:i], c.flights[i+1:]...)
	c.note(f.name).flying = false
	f.take(f.err)
	c.note(f.name).done, c.note(f.name).doneAt = f.action, c.server.now
	c.hooks.performed(f.action, f.err)
	return true
}

func target(action lifecycle.Action) name {
	switch a := action.(type) {
	case lifecycle.CreatePod:
		return podOf(a.Task)
	case lifecycle.DeletePod:
		return podOf(a.Task)
	case lifecycle.ReadPod:
		return podOf(a.Task)
	case lifecycle.ReadItems:
		return listOf(a.Role)
	case lifecycle.KeepClaim:
		return claimOf(a.Claim)
	case lifecycle.DeleteClaim:
		return claimOf(a.Claim)
	case lifecycle.DeleteFramework:
		return theFramework
	}
	return theConfigMap
}

// prepare says what the request of an action is.
func (c *controller) prepare(f *flight) {
	switch a := f.action.(type) {
	case lifecycle.CreateConfigMap:
		c.prepareCreation(f, object{configMap: lifecycle.ConfigMap{
			FrameworkUID: c.latest.uid, AttemptID: a.AttemptID, AwaitsCollector: true}})
	case lifecycle.CreatePod:
		c.prepareCreation(f, object{pod: podFields{Pod: lifecycle.Pod{
			ConfigMapUID:   *c.saved.Framework().AttemptStatus.ConfigMapUID,
			TaskUID:        a.TaskUID,
			TaskAttemptID:  a.AttemptID,
			Phase:          lifecycle.PodPending,
			AvoidsStrictly: len(c.avoided(a.Task).Require) > 0,
		}, avoided: c.avoided(a.Task), item: c.itemOf(a.Task), claims: claimsOf(c.latest.framework.spec, a.Task), memory: c.memoryOf(a.Task)}})
	case lifecycle.DeleteConfigMap:
		c.prepareDeletion(f, a.UID, a.Force)
	case lifecycle.DeletePod:
		c.prepareDeletion(f, a.UID, a.Force)
	case lifecycle.KeepClaim:
		c.prepareClaim(f, a.Claim, true)
	case lifecycle.DeleteClaim:
		c.prepareClaim(f, a.Claim, false)
	case lifecycle.DeleteFramework:
		c.prepareDeletion(f, c.latest.uid, false)
	case lifecycle.ReadItems:
		c.prepareItems(f, a.Role)
	default:
		c.prepareRead(f)
	}
}
