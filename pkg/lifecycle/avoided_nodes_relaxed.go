package lifecycle

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// A Pod that must avoid nodes may find no other. Nobody but us has said that it must, so it does not wait for that: from then
// on its kind only prefers others, and it is replaced by one that does. What a Pod must, it says itself
// (v1.KeyAvoidNodes), as the list may be another by now.

// crowdedPatience is how long a Pod that must avoid nodes waits for others that are full, or that its scheduler does not tell of.
const crowdedPatience = 5 * time.Minute

// avoidsTooStrictly reports whether no node is found for a Pod that must avoid some, because of that as far as is known.
func (t task) avoidsTooStrictly(pod *Pod) bool {
	if !pod.AvoidsStrictly || pod.NodeName != "" || pod.StallCause == nil || t.r.completing() || t.r.in.Framework.Deleting {
		return false
	}
	// Not every scheduler says that it finds none.
	if reason := pod.StallCause.Reason; reason != ReasonUnschedulable && reason != ReasonPodNotScheduled {
		return false
	}
	due := pod.StallCause.Since.Add(pod.StallCause.avoidancePatience())
	if t.r.in.Now.Before(due) {
		t.r.wakeAt(due)
		return false
	}
	return true
}

// avoidancePatience is how long a Pod that must avoid nodes may find no other.
func (c StallCause) avoidancePatience() time.Duration {
	if c.Reason == ReasonUnschedulable && !c.AvoidanceBars {
		return crowdedPatience
	}
	return c.patience()
}

// relax ends the attempt of such a Pod. What its role must avoid, it only prefers to avoid from now on.
func (t task) relax(pod *Pod) {
	must := t.r.relaxFor(t.role.name)
	diagnostics := "no node was found for the Pod beside those that it must avoid"
	if len(must) > 0 {
		diagnostics += " (" + nodeNames(must) + ")"
		t.r.report(Event{Warning: true, Reason: ReasonAvoidedNodesNeeded, Message: "no node was found for Task " + t.ref().String() +
			", whose Pod must avoid " + nodeNames(must) + "; from now on others are only preferred"})
	}
	if words := pod.StallCause.Words; words != "" {
		diagnostics += ": " + words
	}
	t.decideCode(completion.CodeNodesAvoidedTooStrictly, diagnostics)
}

// relaxFor has the Pods of a role avoid with Prefer what they must avoid, and returns what that was.
func (r *round) relaxFor(role string) (must []v1.AvoidedNode) {
	list := slices.Clone(r.status.AvoidedNodes)
	for i := range list {
		if n := &list[i]; n.Mode == v1.AvoidRequire && (n.Role == "" || n.Role == role) {
			must = append(must, *n)
			n.Mode, n.Relaxed = v1.AvoidPrefer, true
		}
	}
	if len(must) > 0 {
		r.status.AvoidedNodes = list
		r.out.NodesNeeded = append(r.out.NodesNeeded, must...)
	}
	return must
}
