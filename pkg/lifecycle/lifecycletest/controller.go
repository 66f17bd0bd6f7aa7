package lifecycletest

import (
	"encoding/binary"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// controller is the shell around lifecycle.Step, reduced to one Framework and one thread: observe, step,
// persist, perform; results are the next observation. All but server, config, faults and hooks is memory, which
// a restart loses.
type controller struct {
	server *server
	config lifecycle.Config
	faults *faults
	hooks  Hooks
	seeds  uint64
	lives  int // how often it has started

	cache     *cache
	notes     map[name]*note
	questions questions
	listings  map[string]*listing // by role

	asking lifecycle.Asking // what plugins are asked about
	advice map[lifecycle.TaskRef]*v1.RetryAdvice
	// willing: a scheduler says yes at once. Admitted is what it has said yes to.
	willing  bool
	admitted map[admittable]bool
	// pondering: a question to the scheduler stays open until it is answered, whatever there is to ask by then. Otherwise the next one
	// takes its place.
	pondering bool

	// latest is the Framework as last read or written; nil if it is to be read.
	latest *object
	saved  *lifecycle.State
	of     types.UID // the Framework that saved and questions are about

	// flights are the actions under way. If async, they take their time; otherwise each is done at once.
	flights []*flight
	async   bool

	// full: everything is to be looked at. Otherwise it is the Tasks in dirty; again asks for a round even
	// without any.
	full  bool
	again bool
	dirty map[lifecycle.TaskRef]bool
	// wake is when the core wants to look again; retry is when a failed or fruitless action may be repeated.
	wake  time.Time
	retry map[name]time.Time
}

// start forgets everything and lists the objects as they were after so many changes.
func (c *controller) start(seen [kinds]int) {
	*c = controller{
		server: c.server, config: c.config, faults: c.faults, hooks: c.hooks, seeds: c.seeds, async: c.async, lives: c.lives + 1,
		asking: c.asking, advice: c.advice, willing: c.willing, admitted: c.admitted, pondering: c.pondering,
		cache:    newCache(c.server, seen),
		listings: map[string]*listing{}, notes: map[name]*note{}, dirty: map[lifecycle.TaskRef]bool{}, retry: map[name]time.Time{},
		full: true,
	}
}

// restart begins anew, with caches that are so many changes behind. A real controller sees to it that they are
// not behind at all (decisions, W7).
func (c *controller) restart(behind int) {
	seen := c.cache.seen
	for k := range kinds {
		seen[k] = max(len(c.server.history[k])-behind, 0)
	}
	seen[frameworks] = len(c.server.history[frameworks])
	c.start(seen)
	c.hooks.restarted()
}

// round runs the loop once, if there is a reason to. It reports whether there was.
func (c *controller) round() bool {
	c.dueRetries()
	if !c.wanted() {
		return false
	}
	framework := c.framework()
	if framework == nil {
		c.start(c.cache.seen)
		c.full = false
		return true
	}
	in := c.input(framework)
	c.full, c.again = false, false
	clear(c.dirty)
	out := lifecycle.Step(in)
	c.hooks.stepped(in, out)
	c.schedule(in, out)
	if c.persist(out) {
		c.hooks.reported(out.Events)
		c.clearBlockers(in, out)
		c.perform(out.Actions)
	}
	return true
}

func (c *controller) wanted() bool {
	due := !c.wake.IsZero() && !c.server.now.Before(c.wake)
	c.full = c.full || due
	return c.full || c.again || len(c.dirty) > 0
}

// framework returns the Framework as far as known. It is read before the first action, and after each write
// whose outcome is unknown; a Framework that was deleted and made again starts from nothing.
func (c *controller) framework() *object {
	cached := c.cache.objects[theFramework]
	if cached == nil {
		return nil
	}
	if c.latest != nil && c.latest.uid == cached.uid {
		return newer(c.latest, cached)
	}
	read := c.server.objects[theFramework]
	if read == nil || read.uid != cached.uid {
		return nil
	}
	if c.of != read.uid {
		c.of, c.questions = read.uid, questions{}
	}
	c.latest, c.saved, c.full = read, c.load(read.framework.status), true
	return c.latest
}

func encode(status *v1.FrameworkStatus) []byte {
	stored, err := json.Marshal(status)
	if err != nil {
		panic(err) // a status holds nothing that could not be encoded
	}
	return stored
}

func (c *controller) load(stored []byte) *lifecycle.State {
	if stored == nil {
		return nil
	}
	loaded := &c.server.loaded
	if len(loaded.from) > 0 && &loaded.from[0] == &stored[0] {
		return loaded.as
	}
	var status v1.FrameworkStatus
	err := json.Unmarshal(stored, &status)
	if err != nil {
		c.hooks.failed(err)
		return nil
	}
	state, err := lifecycle.Load(&status)
	if err != nil {
		c.hooks.failed(err)
		return nil
	}
	loaded.from, loaded.as = stored, state
	return state
}

func (c *controller) input(framework *object) lifecycle.Input {
	c.seeds++
	in := lifecycle.Input{
		Framework: lifecycle.Framework{
			Name:       "demo",
			UID:        framework.uid,
			Generation: framework.framework.generation,
			Deleting:   framework.deleting,
			Spec:       framework.framework.spec,
		},
		Saved:    c.saved,
		Observed: c.observe(),
		Config:   c.config,
		Asking:   c.asking,
		Now:      c.server.now,
	}
	binary.BigEndian.PutUint64(in.Seed[:], c.seeds)
	return in
}

// schedule remembers what the core wants to look at next. A round over everything has all wishes anew.
func (c *controller) schedule(in lifecycle.Input, out lifecycle.Output) {
	if !in.Observed.Partial {
		c.wake = time.Time{}
	}
	if !out.WakeAt.IsZero() && (c.wake.IsZero() || out.WakeAt.Before(c.wake)) {
		c.wake = out.WakeAt
	}
	c.again = c.again || out.Requeue
	for _, ref := range out.RequeueTasks {
		c.dirty[ref] = true
	}
}

// persist stores the new state. When that fails, or may have failed, nothing is done, and what is stored is
// read again.
func (c *controller) persist(out lifecycle.Output) bool {
	if out.State == c.saved {
		return true
	}
	if !c.faults.survive() {
		c.restart(0)
		return false
	}
	status := out.State.Status()
	written, err := c.faults.write(c.server, c.framework(), encode(status))
	c.hooks.saved(status, err)
	if err != nil {
		c.latest, c.full = nil, true
		return false
	}
	c.latest, c.saved = written, out.State
	return true
}
