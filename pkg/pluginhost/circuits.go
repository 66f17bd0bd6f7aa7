package pluginhost

import "time"

// Maximum number of circuits of Frameworks and namespaces, and how long each is kept after its last fault.
const (
	mostCircuits  = 1000
	circuitMemory = 10 * time.Minute
)

// circuits are the circuits of Frameworks and namespaces whose questions were answered with faults. The zero value is
// empty.
type circuits struct{ known map[owner]*circuit }

// admit reports whether a question may be asked; if not, it returns the circuit that holds it back. For an open
// circuit, the question is the trial.
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

// fail counts a fault of an owner, and returns the owners whose circuits it has opened.
func (c *circuits) fail(o owner, f *Fault, end bool, now time.Time) (opened []owner) {
	if o == nobody {
		return nil
	}
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

// evictOldest drops expired circuits and, if that is not enough, the oldest one.
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

// succeed records answers.
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
