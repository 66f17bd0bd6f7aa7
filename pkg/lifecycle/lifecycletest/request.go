package lifecycletest

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// prepareCreation: the created object is remembered until the cache shows it. If the name is taken, the holder is looked up.
func (c *controller) prepareCreation(f *flight, o object) {
	c.note(f.name).asked = false
	o.name = f.name
	var created *object
	f.send = func() error {
		return c.faults.request(f.action, c.server, func(late bool) (err error) {
			o.late = late || c.server.orphaned(&o)
			created, err = c.server.create(o)
			return err
		})
	}
	f.take = func(err error) {
		switch refused, final := err.(refusal); {
		case err == nil:
			c.note(f.name).answer = created
			c.forgetClaims(f.name)
			c.setBlocker(f.name, nil)
			c.changed(f.name)
		case err == errExists:
			c.look(f.name)
		case final:
			c.refused(f, refused.code)
		default:
			c.setBlocker(f.name, &waiting.Fact{Reason: "CreationFailed", Words: f.action.String() + ": " + err.Error()})
			c.retryLater(f.name)
		}
	}
}

// refused: the API server has had its final word on a Pod.
func (c *controller) refused(f *flight, code completion.Code) {
	if a, ok := f.action.(lifecycle.CreatePod); ok {
		c.note(f.name).refusal = &lifecycle.Refusal{TaskUID: a.TaskUID, TaskAttemptID: a.AttemptID, Code: code, Diagnostics: "no"}
	}
	c.setBlocker(f.name, nil)
	c.changed(f.name)
}

// look reads the object that holds a name needed for a creation.
func (c *controller) look(n name) {
	note := c.note(n)
	note.asked, note.answer = true, c.server.objects[n]
	if o := note.answer; o != nil && (o.owner() == "" || o.held() && !c.controls(o)) {
		message := "the name is taken by an object of somebody else"
		if o.held() {
			message = "the name is taken by a Pod that " + o.pod.finalizer + " keeps"
		}
		c.setBlocker(n, &waiting.Fact{Reason: reason.NameConflict, Words: message})
		c.retryLater(n)
		return
	}
	c.setBlocker(n, nil)
	c.changed(n)
}

// controls reports whether a Pod belongs to the attempt.
func (c *controller) controls(pod *object) bool {
	uid := c.saved.Framework().AttemptStatus.ConfigMapUID
	return uid != nil && *uid == pod.owner()
}

func (c *controller) prepareDeletion(f *flight, uid types.UID, force bool) {
	f.send = func() error {
		err := c.faults.request(f.action, c.server, func(bool) error {
			if force && f.name == theConfigMap && slices.ContainsFunc(c.server.ownedBy(uid), func(o *object) bool { return !o.held() }) {
				return errOwner
			}
			return c.server.delete(f.name, uid, force)
		})
		if err == errNotFound || err == errConflict {
			c.note(f.name).gone, err = uid, nil
		}
		return err
	}
	f.take = func(err error) {
		if err != nil {
			c.retryLater(f.name)
			return
		}
		c.note(f.name).deleteRequested = uid
		c.changed(f.name)
	}
}

func (c *controller) prepareRead(f *flight) {
	var found *object
	f.send = func() error {
		return c.faults.request(f.action, c.server, func(bool) error {
			found = c.server.objects[f.name]
			return nil
		})
	}
	f.take = func(err error) {
		if err != nil {
			c.retryLater(f.name)
			return
		}
		c.note(f.name).asked, c.note(f.name).answer = true, found
		c.changed(f.name)
	}
}

// retryLater lets an action that failed, or was in vain, be repeated, but not at once.
func (c *controller) retryLater(n name) {
	c.retry[n] = c.server.now.Add(pause)
	c.lookAt(n)
}

// setBlocker stores the current blocker. When it changes, the core looks at it.
func (c *controller) setBlocker(n name, blocker *waiting.Fact) {
	before := c.note(n).blocker
	c.note(n).blocker = blocker
	if (before == nil) != (blocker == nil) || before != nil && before.Sentence() != blocker.Sentence() {
		c.again = true
	}
}

// clearBlockers forgets the blockers of actions that are no longer wanted.
func (c *controller) clearBlockers(in lifecycle.Input, out lifecycle.Output) {
	wanted := map[name]bool{}
	for _, action := range out.Actions {
		wanted[target(action)] = true
	}
	for n := range c.notes {
		_, looked := in.Observed.Pods[n.ref]
		if n.kind == claims {
			looked = !in.Observed.Partial
		}
		if !wanted[n] && (looked || n.kind < pods) {
			c.setBlocker(n, nil)
		}
	}
}

// refusal is the API server's final word on a creation.
type refusal struct{ code completion.Code }

func (refusal) Error() string { return "refused" }
