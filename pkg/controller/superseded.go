package controller

import "time"

// supersededAfter is when a reason for which creations failed counts as superseded, if they have failed for another one
// since. A failure stays in the way until its own action is tried again, which takes minutes with a thousand Tasks. Of
// reasons that take turns none passes, or the condition would go back and forth between them.
const supersededAfter = 30 * time.Second

// lastFailures are when creations have failed last, by reason.
type lastFailures map[string]time.Time

func (b *blockers) lastFailures() lastFailures {
	last := lastFailures{}
	if b.restored != nil {
		last[b.restored.Reason] = b.restored.at
	}
	for _, f := range b.failures {
		if reason := f.reason(); creates(f.action) && f.at.After(last[reason]) {
			last[reason] = f.at
		}
	}
	return last
}

// superseded reports whether a reason is one of long ago. Only times of failures are compared: what is told changes only
// if something happens.
func (last lastFailures) superseded(reason string) bool {
	for _, at := range last {
		if at.Sub(last[reason]) > supersededAfter {
			return true
		}
	}
	return false
}
