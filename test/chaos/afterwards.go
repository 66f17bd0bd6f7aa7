package main

import (
	"fmt"
	"time"
)

// calmBefore is the time between the last fault and the Frameworks that begin afterwards: a controller may still end when it notices that it
// has lost its lease.
const calmBefore = 10 * time.Second

// afterwards returns Frameworks that begin when there are no faults any longer, and have failures. So nothing but the promised limits can cost
// verdicts on them.
func (p *planner) afterwards(faults time.Duration) (out []plan) {
	for i, shape := range []func(*planner) plan{(*planner).flaky, (*planner).failing, (*planner).hungry, (*planner).advised, (*planner).permanent, (*planner).inTurns} {
		one := shape(p)
		one.name, one.begin, one.afterwards = fmt.Sprint("afterwards", i), faults+calmBefore+time.Duration(p.random.Int64N(int64(p.spread))), true
		out = append(out, one)
	}
	return out
}
