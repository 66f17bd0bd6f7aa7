package lifecycletest

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// note is the controller's memory about one name, besides its cache.
type note struct {
	// answer is the newest object that an answer to a request has shown; asked as in lifecycle.PodView.
	answer          *object
	asked           bool
	gone            types.UID
	deleteRequested types.UID
	disruption      *lifecycle.Disruption // on the object that is gone
	refusal         *lifecycle.Refusal
	blocker         *waiting.Fact
	claim           lifecycle.ClaimView
	claimAt         time.Time // when that was answered
	// flying: an action on it is under way.
	flying bool
	// done is the action last performed, and when. An action requested again without any news is not repeated at once.
	done   lifecycle.Action
	doneAt time.Time
}

func (c *controller) note(n name) *note {
	if c.notes[n] == nil {
		c.notes[n] = &note{}
	}
	return c.notes[n]
}

// deliver delivers the next change of that kind to the cache, and processes it. It reports whether there was one.
func (c *controller) deliver(k kind) bool {
	next, ok := c.cache.deliver(c.server, k)
	if !ok {
		return false
	}
	if k == frameworks {
		c.noteFramework(next)
		return true
	}
	if next.is == nil || next.was != nil && next.is.uid != next.was.uid {
		n := c.note(next.was.name)
		n.gone, n.disruption = next.was.uid, next.was.viewDisruption()
		if n.answer != nil && n.answer.uid == next.was.uid {
			n.answer = nil
		}
	}
	if next.is != nil {
		c.changed(next.is.name)
	} else {
		c.changed(next.was.name)
	}
	return true
}

// noteFramework ignores changes of the status, which are its own.
func (c *controller) noteFramework(next change) {
	was, is := next.was, next.is
	if was == nil || is == nil || was.framework.generation != is.framework.generation || was.deleting != is.deleting {
		c.full = true
	}
}

// changed lets the core look again at the object with the name, and its actions be repeated at once.
func (c *controller) changed(n name) {
	c.note(n).done = nil
	delete(c.retry, n)
	c.lookAt(n)
}

func (c *controller) lookAt(n name) {
	switch n.kind {
	case pods:
		c.dirty[n.ref] = true
	case claims:
		c.lookAtUsers(n.claim)
	default:
		c.full = true
	}
}

// pause is how long an action that failed, or changed nothing, is not repeated.
const pause = 5 * time.Second

func (c *controller) dueRetries() {
	for n, at := range c.retry {
		if !c.server.now.Before(at) {
			c.changed(n)
		}
	}
}
