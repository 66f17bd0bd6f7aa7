package lifecycletest

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// perform does what the core asked for, now that the state that justifies it is stored.
func (c *controller) perform(actions []lifecycle.Action) {
	for _, action := range actions {
		n := target(action)
		if note := c.note(n); note.done == action && c.server.now.Before(note.doneAt.Add(pause)) {
			c.retry[n] = note.doneAt.Add(pause)
			continue
		}
		if !c.faults.survive() {
			c.restart(0)
			return
		}
		err := c.performOne(n, action)
		c.note(n).done, c.note(n).doneAt = action, c.server.now
		c.hooks.performed(action, err)
	}
}

func target(action lifecycle.Action) name {
	switch a := action.(type) {
	case lifecycle.CreatePod:
		return podOf(a.Task)
	case lifecycle.DeletePod:
		return podOf(a.Task)
	case lifecycle.ReadPod:
		return podOf(a.Task)
	case lifecycle.DeleteFramework:
		return theFramework
	}
	return theConfigMap
}

func (c *controller) performOne(n name, action lifecycle.Action) error {
	switch a := action.(type) {
	case lifecycle.CreateConfigMap:
		return c.create(n, action, object{name: n, configMap: lifecycle.ConfigMap{
			FrameworkUID: c.latest.uid, AttemptID: a.AttemptID,
		}})
	case lifecycle.CreatePod:
		return c.createPod(n, a)
	case lifecycle.DeleteConfigMap:
		return c.delete(n, action, a.UID, false)
	case lifecycle.DeletePod:
		return c.delete(n, action, a.UID, a.Force)
	case lifecycle.DeleteFramework:
		return c.delete(n, action, c.latest.uid, false)
	}
	return c.read(n, action)
}

func (c *controller) createPod(n name, a lifecycle.CreatePod) error {
	pod := podFields{Pod: lifecycle.Pod{
		ConfigMapUID:  *c.saved.Framework().AttemptStatus.ConfigMapUID,
		TaskUID:       a.TaskUID,
		TaskAttemptID: a.AttemptID,
		Phase:         lifecycle.PodPending,
	}}
	err := c.create(n, a, object{name: n, pod: pod})
	if refused, ok := err.(refusal); ok {
		c.note(n).refusal = &lifecycle.Refusal{TaskUID: a.TaskUID, TaskAttemptID: a.AttemptID, Code: refused.code, Diagnostics: "no"}
		c.meet(n, nil)
		c.news(n)
	}
	return err
}

// create remembers the created object until the cache shows it. If the name is taken, it looks by what.
func (c *controller) create(n name, action lifecycle.Action, o object) error {
	note := c.note(n)
	note.asked = false
	var created *object
	err := c.faults.request(action, c.server, func(late bool) (err error) {
		o.late = late
		created, err = c.server.create(o)
		return err
	})
	switch err {
	case nil:
		note.answer = created
		c.meet(n, nil)
		c.news(n)
	case errExists:
		c.look(n)
	default:
		c.meet(n, &lifecycle.Obstacle{Reason: "CreationFailed", Message: action.String() + ": " + err.Error()})
		c.retryLater(n)
	}
	return err
}

// meet notes what is in the way now. When that is news, the core is to hear of it.
func (c *controller) meet(n name, obstacle *lifecycle.Obstacle) {
	before := c.note(n).obstacle
	c.note(n).obstacle = obstacle
	if (before == nil) != (obstacle == nil) || before != nil && *before != *obstacle {
		c.again = true
	}
}

// clearObstacles forgets what was in the way of actions that are not wanted any more.
func (c *controller) clearObstacles(in lifecycle.Input, out lifecycle.Output) {
	wanted := map[name]bool{}
	for _, action := range out.Actions {
		wanted[target(action)] = true
	}
	for n := range c.notes {
		_, looked := in.Observed.Pods[n.ref]
		if !wanted[n] && (looked || n.kind != pods) {
			c.meet(n, nil)
		}
	}
}

// look reads who holds a name that was wanted for a creation.
func (c *controller) look(n name) {
	note := c.note(n)
	note.asked, note.answer = true, c.server.objects[n]
	if note.answer != nil && note.answer.owner() == "" {
		c.meet(n, &lifecycle.Obstacle{Reason: "NameConflict", Message: "the name is taken by an object of somebody else"})
		c.retryLater(n)
		return
	}
	c.meet(n, nil)
	c.news(n)
}

func (c *controller) delete(n name, action lifecycle.Action, uid types.UID, force bool) error {
	err := c.faults.request(action, c.server, func(bool) error { return c.server.delete(n, uid, force) })
	note := c.note(n)
	switch err {
	case nil:
		note.deleteRequested = uid
		c.news(n)
	case errNotFound, errConflict:
		note.gone = uid
		c.news(n)
		return nil
	default:
		c.retryLater(n)
	}
	return err
}

func (c *controller) read(n name, action lifecycle.Action) error {
	var found *object
	err := c.faults.request(action, c.server, func(bool) error {
		found = c.server.objects[n]
		return nil
	})
	if err != nil {
		c.retryLater(n)
		return err
	}
	c.note(n).asked, c.note(n).answer = true, found
	c.news(n)
	return nil
}

func (c *controller) retryLater(n name) { c.retry[n] = c.server.now.Add(pause) }

// refusal is the API server's final word on a creation.
type refusal struct{ code completion.Code }

func (refusal) Error() string { return "refused" }
