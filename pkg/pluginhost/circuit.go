package pluginhost

import "time"

// How many faults in a row open the circuit, and for how long: the first time, and at most. What is asked again does not
// count yet.
const (
	circuitFaults   = 5
	circuitFirst    = 5 * time.Second
	circuitAtMost   = time.Minute
	circuitDoubling = 2
)

// circuit keeps questions from a plugin that has answered several in a row with faults, so that they do not wait for
// nothing. After a while one question tries whether it is better. The zero circuit is closed.
type circuit struct {
	faults  int
	opening time.Duration // 0 while it is closed
	until   time.Time
	probing bool
}

func (c *circuit) closed() bool { return c.opening == 0 }

// holdsBack reports whether no question may be asked now.
func (c *circuit) holdsBack(now time.Time) bool {
	return !c.closed() && (c.probing || now.Before(c.until))
}

// tried reports whether a question has tried since it opened, in vain. Until then those that come wait: the process is a
// new one.
func (c *circuit) tried() bool { return c.opening > circuitFirst }

// allow reports whether a question may be asked now. If it may while the circuit is open, it is the one that tries: no
// other is allowed until succeed, fail or cancel.
func (c *circuit) allow(now time.Time) bool {
	if c.holdsBack(now) {
		return false
	}
	c.probing = !c.closed()
	return true
}

func (c *circuit) succeed() { *c = circuit{} }

// cancel is for a question that was given up without learning anything about the plugin.
func (c *circuit) cancel() { c.probing = false }

// fail counts a fault, and reports whether it has opened the circuit, again if it was one that tried. A fault of a
// question that was asked before the circuit opened says nothing new.
func (c *circuit) fail(now time.Time) bool {
	c.faults++
	switch {
	case c.closed() && c.faults < circuitFaults, !c.closed() && !c.probing:
		return false
	case c.closed():
		c.opening = circuitFirst
	default:
		c.opening = min(c.opening*circuitDoubling, circuitAtMost)
	}
	c.probing, c.until = false, now.Add(c.opening)
	return true
}
