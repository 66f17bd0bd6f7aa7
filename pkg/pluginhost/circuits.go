package pluginhost

import "time"

// Of how many Frameworks and namespaces circuits are kept, and for how long after their last fault.
const (
	mostCircuits  = 1000
	circuitMemory = 10 * time.Minute
)

// circuits are those of Frameworks and namespaces whose questions were answered with faults. The zero value has none.
type circuits struct{ known map[owner]*circuit }

// admit reports whether a question may be asked; if not, it returns the circuit that holds it back. It tries for the
// circuits that are open.
func (c *circuits) admit(o owner, now time.Time) (by *circuit, tries bool) {
	levels := []*circuit{c.known[o], c.known[o.ofNamespace()]}
	for _, level := range levels {
		if level != nil && level.holdsBack(now) {
			return level, false
		}
	}
	for _, level := range levels {
		if level != nil && level.open {
			level.allow(now)
			tries = true
		}
	}
	return nil, tries
}

// fail counts a fault of an owner, and returns those of whom nothing is asked for a while because of it.
func (c *circuits) fail(o owner, f *Fault, end bool, now time.Time) (opened []owner) {
	levels := []owner{o.ofNamespace()}
	if o.framework != "" {
		levels = append(levels, o)
	}
	for _, level := range levels {
		if c.of(level, now).fail(level.limits(), f, o.framework, end, now) {
			opened = append(opened, level)
		}
	}
	return opened
}

func (c *circuits) of(o owner, now time.Time) *circuit {
	if known := c.known[o]; known != nil && now.Sub(known.when) < circuitMemory {
		return known
	}
	if c.known == nil {
		c.known = map[owner]*circuit{}
	}
	c.evictOldest(now)
	c.known[o] = &circuit{}
	return c.known[o]
}

// evictOldest forgets circuits whose time is over, and the oldest if there are still too many.
func (c *circuits) evictOldest(now time.Time) {
	if len(c.known) < mostCircuits {
		return
	}
	var oldest owner
	for o, known := range c.known {
		if now.Sub(known.when) >= circuitMemory {
			delete(c.known, o)
		}
		if first := c.known[oldest]; first == nil || known.when.Before(first.when) {
			oldest = o
		}
	}
	if len(c.known) >= mostCircuits {
		delete(c.known, oldest)
	}
}

// succeed notes answers.
func (c *circuits) succeed(owners []owner) {
	c.each(owners, func(o owner, known *circuit) {
		known.succeed()
		if known.ends == 0 {
			delete(c.known, o)
		}
	})
}

// cancel is for questions that were given up.
func (c *circuits) cancel(owners []owner) {
	c.each(owners, func(_ owner, known *circuit) { known.cancel() })
}

func (c *circuits) each(owners []owner, do func(owner, *circuit)) {
	if len(c.known) == 0 {
		return
	}
	for _, o := range owners {
		for _, level := range []owner{o, o.ofNamespace()} {
			if known := c.known[level]; known != nil {
				do(level, known)
			}
		}
	}
}
