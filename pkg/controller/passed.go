package controller

import "time"

// longSince is when a reason for which creations failed counts as passed, if they have failed for another one since. A
// failure stays an obstacle until its own action is tried again, which takes minutes with a thousand Tasks. Of reasons
// that take turns none passes, or the condition would go back and forth between them.
const longSince = 30 * time.Second

// lastFailures are when creations have failed last, by reason.
type lastFailures map[string]time.Time

func (b *blockers) lastFailures() lastFailures {
	last := lastFailures{}
	if b.inherited != nil {
		last[b.inherited.Reason] = b.inherited.at
	}
	for _, o := range b.obstacles {
		if reason := o.reason(); creates(o.action) && o.at.After(last[reason]) {
			last[reason] = o.at
		}
	}
	return last
}

// passed reports whether a reason is one of long ago. Only times of failures are compared: what is told changes only if something
// happens.
func (last lastFailures) passed(reason string) bool {
	for _, at := range last {
		if at.Sub(last[reason]) > longSince {
			return true
		}
	}
	return false
}
