package pluginhost

import (
	"slices"
	"time"
)

// limits determine when a circuit opens, and for how long.
type limits struct {
	faults int // number of faults in a row
	from   int // number of different sources of these faults
	// Number of ends of the process, whether or not there were answers in between; 0 disables it.
	ends int
	// How long it opens: the first time, and at most, doubling.
	first, most time.Duration
}

// A fault counts against its Framework, its namespace, and the plugin. The namespace counts because one author may have
// any number of Frameworks there. A question that is asked again does not count yet, unless the process has ended.
const circuitFaults = 5

var (
	ofFramework = limits{faults: 3, from: 1, ends: 3, first: 10 * time.Second, most: 5 * time.Minute}
	ofNamespace = limits{faults: circuitFaults, from: 3, ends: 6, first: 10 * time.Second, most: 5 * time.Minute}
	ofPlugin    = limits{faults: circuitFaults, from: 2, first: 5 * time.Second, most: time.Minute}
	// The records for a sink have no owner, so all its faults have the same source.
	ofSink = limits{faults: circuitFaults, from: 1, first: ofPlugin.first, most: ofPlugin.most}
)

// circuit keeps questions from a plugin that has answered several with faults, so that they neither wait needlessly nor do harm. After a
// while one question tries whether the plugin has recovered. The zero circuit is closed.
type circuit struct {
	faults int      // number of faults in a row
	from   []string // their sources: the Frameworks of a namespace, the namespaces of a plugin
	ends   int      // number of ends of the process
	last   *Fault
	when   time.Time // time of the last fault

	open    bool
	opening time.Duration // the last
	until   time.Time
	probing bool
}

// holdsBack reports whether no question may be asked now.
func (c *circuit) holdsBack(now time.Time) bool { return c.open && now.Before(c.until) }

// tried reports whether a question has tried unsuccessfully since it opened. Until then, new questions wait, because the process is new.
func (c *circuit) tried(l limits) bool { return c.opening > l.first }

// allow reports whether a question may be asked now. While the circuit is open, that question is the trial: no other is
// allowed until succeed, fail or cancel, or, in case it gets lost, until the opening time has passed again.
func (c *circuit) allow(now time.Time) bool {
	if c.holdsBack(now) {
		return false
	}
	if c.open {
		c.probing, c.until = true, now.Add(c.opening)
	}
	return true
}

// succeed closes the circuit. Answers to others of the same owner do not reset the count of ends of the process.
func (c *circuit) succeed() {
	kept := circuit{ends: c.ends, last: c.last, when: c.when}
	if c.ends > 0 {
		kept.opening = c.opening
	}
	*c = kept
}

// cancel is for a question that was given up without a finding about the plugin.
func (c *circuit) cancel() {
	if c.probing {
		c.probing, c.until = false, time.Time{}
	}
}

// fail counts a fault, and reports whether it has opened the circuit, or reopened it after a trial. A fault of a
// question that was asked before the circuit opened is ignored.
func (c *circuit) fail(l limits, f *Fault, whose string, end bool, now time.Time) bool {
	c.faults++
	c.last, c.when = f, now
	if end {
		c.ends++
	}
	if len(c.from) < l.from && !slices.Contains(c.from, whose) {
		c.from = append(c.from, whose)
	}
	if c.open && !c.probing || !c.open && !c.isTooMuch(l) {
		return false
	}
	c.open, c.probing = true, false
	c.opening = min(max(2*c.opening, l.first), l.most)
	c.until = now.Add(c.opening)
	return true
}

func (c *circuit) isTooMuch(l limits) bool {
	return c.faults >= l.faults && len(c.from) >= l.from || l.ends > 0 && c.ends >= l.ends
}
