package lifecycle

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A Pod that has failed on a node may fail there again, so later Pods avoid it. Package avoid has the list. Here it is found out
// whether the node may be to blame, and whether a Pod has to give up avoiding nodes.

// blameNode has later Pods avoid the node of an attempt that ends so, if the node may be to blame. The list is stored together
// with the failure, before there is another Pod.
func (t task) blameNode(s *v1.TaskAttemptCompletionStatus) {
	policies, advice, node := t.r.avoidPolicies(), t.avoidAdvice(s), t.status().AttemptStatus.PodNodeName
	if node == nil || advice == nil && policies.OfFramework == nil && policies.OfRole(t.role.name) == nil {
		return
	}
	failure := avoid.Failure{
		Node: *node, Time: t.r.now.Time, Role: t.role.name, Index: t.index, Code: s.Code, Phrase: s.Phrase,
		Advice: advice, Source: s.Source,
	}
	if t.failedOnNode(s) {
		failure.TaskRetried, failure.FrameworkRetried = t.retriedAfter(s)
	}
	t.r.status.AvoidedNodes = avoid.Blame(t.r.status.AvoidedNodes, failure, policies)
}

// failedOnNode reports whether an attempt ended by a failure that may be the node's: its Pod failed by itself, or did not start
// there. A deletion by others, or an end for another reason, shows nothing about a node.
func (t task) failedOnNode(s *v1.TaskAttemptCompletionStatus) bool {
	return s.Type.Name == v1.CompletionFailed && (s.Pod != nil || t.givenUpAtStart(s) != nil ||
		completion.IsPredefined(s.CompletionStatus, completion.CodePodImagePullFailed, completion.CodePodContainerCreateFailed, completion.CodePodStartTimeout))
}

// retriedAfter reports whether the Task is retried after such an end, and whether the Framework would be if it ended so. A
// failure without a retry is not blamed on a node.
func (t task) retriedAfter(s *v1.TaskAttemptCompletionStatus) (byTask, byFramework bool) {
	byFramework = retry.Decide(t.r.retryCaseOf(retry.Ending{Status: s.CompletionStatus, Time: t.r.now.Time})).Retry
	if t.role.spec != nil {
		byTask = retry.Decide(t.retryCaseOf(t.endingOf(s))).Retry
	}
	return byTask, byFramework
}

// avoidAdvice is the advice on the node by the plugin whose verdict ends the attempt; nil if there is none.
func (t task) avoidAdvice(s *v1.TaskAttemptCompletionStatus) *avoid.Advice {
	if v := t.givenUpAtStart(s); v != nil {
		return v.AvoidNode
	}
	if v := t.verdictOn(s); v != nil {
		return v.AvoidNode
	}
	return nil
}

func (r *round) avoidPolicies() avoid.Policies {
	return avoid.Policies{
		OfFramework: r.in.Framework.Spec.RetryPolicy.AvoidNodes,
		OfRole: func(name string) *v1.AvoidNodesSpec {
			if d := r.roleNamed(name); d != nil && d.spec != nil {
				return d.spec.Task.RetryPolicy.AvoidNodes
			}
			return nil
		},
	}
}

// settleAvoidedNodes drops expired entries if something else is to be stored, such as the request for another Pod: they are worth
// no write of their own. It reports newly avoided nodes.
func (r *round) settleAvoidedNodes() {
	if len(r.status.AvoidedNodes) == 0 || !r.changed() {
		return
	}
	if kept := avoid.Unexpired(r.status.AvoidedNodes, r.avoidPolicies(), r.now.Time); !avoid.Equal(kept, r.status.AvoidedNodes) {
		r.status.AvoidedNodes = kept
		r.out.State.status.AvoidedNodes = kept
	}
	var before []v1.AvoidedNode
	if r.in.Saved != nil {
		before = r.in.Saved.status.AvoidedNodes
	}
	if added := avoid.Added(before, r.status.AvoidedNodes); len(added) > 0 {
		r.report(Event{Warning: true, Reason: reason.NodeAvoided, Facts: avoid.Facts(added), Message: avoid.Describe(added)})
		r.out.NodesAvoided = added
	}
}

// crowdedPatience is how long a Pod that must avoid nodes waits for others that are full, or that its scheduler does not report.
const crowdedPatience = 5 * time.Minute

// avoidsTooStrictly reports whether no node is found for a Pod because it must avoid some, as far as is known. The Pod's own mark
// counts (v1.KeyAvoidNodes), as the list may have changed since.
func (t task) avoidsTooStrictly(pod *Pod) bool {
	if !pod.AvoidsStrictly || pod.NodeName != "" || pod.StallCause == nil || t.r.completing() || t.r.in.Framework.Deleting {
		return false
	}
	// Not every scheduler reports that it finds none.
	if why := pod.StallCause.Reason; why != reason.Unschedulable && why != reason.PodNotScheduled {
		return false
	}
	due := pod.StallCause.Since.Add(avoidancePatience(pod.StallCause))
	if t.r.in.Now.Before(due) {
		t.r.wakeAt(due)
		return false
	}
	return true
}

// avoidancePatience is how long a Pod that must avoid nodes may find no other.
func avoidancePatience(c *waiting.Cause) time.Duration {
	if c.Reason == reason.Unschedulable && !c.AvoidanceBars {
		return crowdedPatience
	}
	return c.Patience()
}

// relax ends the attempt of a Pod that avoids nodes too strictly. Pods of its role only prefer other nodes from now on.
func (t task) relax(pod *Pod) {
	diagnostics := "no node was found for the Pod except the nodes that it must avoid"
	next, needed := avoid.Relax(t.r.status.AvoidedNodes, t.role.name)
	if len(needed) > 0 {
		t.r.status.AvoidedNodes = next
		t.r.out.NodesNeeded = append(t.r.out.NodesNeeded, needed...)
		diagnostics += " (" + avoid.Names(needed) + ")"
		facts := avoid.Facts(needed)
		facts.Tasks = []string{t.ref().String()}
		t.r.report(Event{Warning: true, Reason: reason.AvoidedNodesNeeded, Facts: facts, Message: "no node was found for Task " + t.ref().String() +
			", whose Pod must avoid " + avoid.Names(needed) + "; from now on others are only preferred"})
	}
	if words := pod.StallCause.Words; words != "" {
		diagnostics += ": " + words
	}
	t.decideCode(completion.CodeNodesAvoidedTooStrictly, diagnostics)
}
