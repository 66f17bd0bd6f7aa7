package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// A Pod that has failed on a node may fail there again, so later Pods avoid it: if the retry policy of the role or of the
// Framework says so, or the plugin that has judged the failure. Which nodes these are is stored together with the failure,
// before there is another Pod. Nothing here looks at nodes: whether there are others, the scheduler says
// (avoided_nodes_relaxed.go).

// AvoidNode is what a classifier says about the node of a failed Pod.
type AvoidNode struct {
	Mode v1.AvoidMode
	// Seconds for which it is avoided, from the failure on, at most v1.MaxAdvisedSeconds; above 0.
	Seconds int32
	// Reason is for people; empty if there is none.
	Reason string
}

// longestAvoidedText bounds each text of others in an entry, of which there are up to v1.MaxAvoidedNodes.
const longestAvoidedText = 256

// What a policy says that leaves something out; an older CRD has no defaults.
const (
	defaultAvoidedSeconds = 3600
	defaultAvoidedNodes   = 10
)

// blameNode has later Pods avoid the node of an attempt that ends so, if that is what failed there.
func (t task) blameNode(s *v1.TaskAttemptCompletionStatus) {
	ofRole, ofAll, advice := t.avoidPolicy(), t.r.in.Framework.Spec.RetryPolicy.AvoidNodes, t.advice(s)
	node := t.status().AttemptStatus.PodNodeName
	if ofRole == nil && ofAll == nil && advice == nil || node == nil || !objects.IsNodeName(*node) {
		return
	}
	entry := v1.AvoidedNode{
		Name: *node, Mode: v1.AvoidPrefer, Code: s.Code, Phrase: completion.Cut(s.Phrase, longestAvoidedText),
		TaskRoleName: t.role.name, TaskIndex: t.index,
	}
	if advice != nil {
		t.r.avoidAsAdvised(entry, advice, s.Source)
	}
	if !t.failedOnNode(s) {
		return
	}
	byTask, byFramework := t.retriedAfter(s)
	if ofAll != nil && (byTask || byFramework) {
		t.r.avoidAsPolicy(entry, ofAll)
	}
	if ofRole != nil && byTask {
		entry.Role = t.role.name
		t.r.avoidAsPolicy(entry, ofRole)
	}
}

// failedOnNode reports whether an attempt ended by a failure that may be the node's: its Pod failed by itself, or was not got
// to run there. What others delete, and what is ended for another reason, says nothing about a node.
func (t task) failedOnNode(s *v1.TaskAttemptCompletionStatus) bool {
	return s.Type.Name == v1.CompletionFailed && (s.Pod != nil || t.givenUpAtStart(s) != nil ||
		completion.IsPredefined(s.CompletionStatus, completion.CodePodImagePullFailed, completion.CodePodContainerCreateFailed, completion.CodePodStartTimeout))
}

// retriedAfter reports whether the Task is retried after such an end, and whether the Framework would be if it ended so. A
// failure after which nobody tries again is not a node's.
func (t task) retriedAfter(s *v1.TaskAttemptCompletionStatus) (byTask, byFramework bool) {
	ended := Ending{Status: s.CompletionStatus, Time: t.r.now.Time}
	byFramework = t.r.retryCaseOf(ended).decide().Retry
	if t.role.spec != nil {
		ended.Advice = s.Advice
		byTask = t.retryCaseOf(ended).decide().Retry
	}
	return byTask, byFramework
}

// advice is what the plugin says about the node whose verdict the attempt ends with; nil if it says nothing.
func (t task) advice(s *v1.TaskAttemptCompletionStatus) *AvoidNode {
	if v := t.givenUpAtStart(s); v != nil {
		return v.AvoidNode
	}
	v, uid := t.view().Verdict, t.status().AttemptStatus.PodUID
	if v == nil || uid == nil || v.PodUID != *uid || !t.r.in.Asking.Classification || s.Source == nil || v.Status.Code != s.Code {
		return nil
	}
	return v.AvoidNode
}

// avoidPolicy is that of the Task's role; nil if there is none.
func (t task) avoidPolicy() *v1.AvoidNodesSpec {
	if t.role.spec == nil {
		return nil
	}
	return t.role.spec.Task.RetryPolicy.AvoidNodes
}

// avoidPolicy is the one that wants an entry; nil if none does.
func (r *round) avoidPolicy(n v1.AvoidedNode) *v1.AvoidNodesSpec {
	if n.Role == "" {
		return r.in.Framework.Spec.RetryPolicy.AvoidNodes
	}
	if d := r.roleNamed(n.Role); d != nil && d.spec != nil {
		return d.spec.Task.RetryPolicy.AvoidNodes
	}
	return nil
}

func (r *round) avoidAsPolicy(n v1.AvoidedNode, policy *v1.AvoidNodesSpec) {
	if policy.Mode == v1.AvoidRequire {
		n.Mode = v1.AvoidRequire
	}
	n.Until = metav1.NewTime(r.now.Add(policyTime(policy)))
	r.avoid(n, cmp.Or(int(policy.MaxNodes), defaultAvoidedNodes))
}

func policyTime(policy *v1.AvoidNodesSpec) time.Duration {
	return seconds(int64(cmp.Or(policy.ForSec, defaultAvoidedSeconds)))
}

func (r *round) avoidAsAdvised(n v1.AvoidedNode, advice *AvoidNode, by *v1.CompletionSource) {
	if advice.Mode == v1.AvoidRequire {
		n.Mode = v1.AvoidRequire
	}
	n.Until = metav1.NewTime(r.now.Add(min(seconds(int64(advice.Seconds)), seconds(v1.MaxAdvisedSeconds))))
	n.Reason = completion.Cut(advice.Reason, longestAvoidedText)
	n.Source = &v1.CompletionSource{
		Plugin: by.Plugin, Version: completion.Cut(by.Version, longestAvoidedText), Rule: completion.Cut(by.Rule, longestAvoidedText),
	}
	r.avoid(n, v1.MaxAvoidedNodes)
}

// avoid enters a node, of which those who want the same Pods to avoid some have at most so many.
func (r *round) avoid(n v1.AvoidedNode, most int) {
	list := r.stillAvoided()
	sameOnes := func(o v1.AvoidedNode) bool { return o.Role == n.Role && wantedBy(o) == wantedBy(n) }
	if i := slices.IndexFunc(list, func(o v1.AvoidedNode) bool { return o.Name == n.Name && sameOnes(o) }); i >= 0 {
		n = again(list[i], n)
		list = slices.Delete(list, i, i+1)
	}
	list = makeRoomFor(list, most, sameOnes)
	list = makeRoomFor(list, v1.MaxAvoidedNodes, func(v1.AvoidedNode) bool { return true })
	list = append(list, n)
	slices.SortFunc(list, func(a, b v1.AvoidedNode) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role), cmp.Compare(wantedBy(a), wantedBy(b)))
	})
	r.status.AvoidedNodes = list
}

// again is an entry after another failure on the node. That nothing else fits, need not be found out again.
func again(old, n v1.AvoidedNode) v1.AvoidedNode {
	if old.Until.After(n.Until.Time) {
		n.Until = old.Until
	}
	if old.Relaxed {
		n.Mode, n.Relaxed = v1.AvoidPrefer, true
	}
	return n
}

// makeRoomFor leaves fewer than so many of those entries; the ones whose time is over first go.
func makeRoomFor(list []v1.AvoidedNode, most int, among func(v1.AvoidedNode) bool) []v1.AvoidedNode {
	for {
		first, found := -1, 0
		for i, n := range list {
			if !among(n) {
				continue
			}
			if found++; first < 0 || n.Until.Time.Before(list[first].Until.Time) {
				first = i
			}
		}
		if found < most {
			return list
		}
		list = slices.Delete(list, first, first+1)
	}
}

// wantedBy is the plugin that wants the node to be avoided; empty if that is the policy.
func wantedBy(n v1.AvoidedNode) string {
	if n.Source == nil {
		return ""
	}
	return n.Source.Plugin
}

// stillAvoided are the entries whose time is not over, in a list of its own. No entry lasts for longer from now than it could
// have been made for, so that none stays when a clock has jumped back, or the policy wants less by now.
func (r *round) stillAvoided() []v1.AvoidedNode {
	var kept []v1.AvoidedNode
	for _, n := range r.status.AvoidedNodes {
		if latest := metav1.NewTime(r.now.Add(r.longestAvoidance(n))); n.Until.After(latest.Time) {
			n.Until = latest
		}
		if n.Until.After(r.now.Time) && len(kept) < v1.MaxAvoidedNodes {
			kept = append(kept, n)
		}
	}
	return kept
}

// longestAvoidance is 0 if nobody wants the node to be avoided any more.
func (r *round) longestAvoidance(n v1.AvoidedNode) time.Duration {
	if n.Source != nil {
		return seconds(v1.MaxAdvisedSeconds)
	}
	if policy := r.avoidPolicy(n); policy != nil {
		return policyTime(policy)
	}
	return 0
}

// settleAvoidedNodes drops what is over, if something else is to be stored, such as that there is to be another Pod: it is worth
// no write of its own. It tells of nodes that are new.
func (r *round) settleAvoidedNodes() {
	if len(r.status.AvoidedNodes) == 0 || !r.changed() {
		return
	}
	if kept := r.stillAvoided(); !slices.EqualFunc(kept, r.status.AvoidedNodes, sameEntry) {
		r.status.AvoidedNodes = kept
		r.out.State.status.AvoidedNodes = kept
	}
	r.tellAvoidedNodes()
}

func sameEntry(a, b v1.AvoidedNode) bool { return a.Name == b.Name && a.Until.Equal(&b.Until) }

// SameAvoidedNodes reports whether two lists are one. Successive states share it until it changes.
func SameAvoidedNodes(a, b []v1.AvoidedNode) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// tellAvoidedNodes reports nodes that were not avoided before: the first in detail, as thousands may fail at once.
func (r *round) tellAvoidedNodes() {
	var before, added []v1.AvoidedNode
	if r.in.Saved != nil {
		before = r.in.Saved.status.AvoidedNodes
	}
	for _, n := range r.status.AvoidedNodes {
		if !slices.ContainsFunc(before, func(o v1.AvoidedNode) bool {
			return o.Name == n.Name && o.Role == n.Role && wantedBy(o) == wantedBy(n)
		}) {
			added = append(added, n)
		}
	}
	if len(added) == 0 {
		return
	}
	message := describeAvoided(added[0])
	if len(added) > 1 {
		message += "; and so for " + nodeNames(added[1:])
	}
	r.report(Event{Warning: true, Reason: ReasonNodeAvoided, Message: message})
	r.out.NodesAvoided = added
}

func describeAvoided(n v1.AvoidedNode) string {
	who, how := "", "avoid"
	if n.Role != "" {
		who = " of role " + n.Role
	}
	if n.Mode == v1.AvoidRequire {
		how = "must avoid"
	}
	text := fmt.Sprintf("Pods%s %s node %s until %s: Task %s has failed there with %s, code %d",
		who, how, n.Name, stamp(n.Until.Time), TaskRef{n.TaskRoleName, n.TaskIndex}, n.Phrase, n.Code)
	if n.Source != nil {
		text += ", and plugin " + n.Source.Plugin + " wants that"
	}
	if n.Reason != "" {
		text += ": " + n.Reason
	}
	return text
}

// nodeNames names nodes, each once, and of many the first.
func nodeNames(list []v1.AvoidedNode) string {
	const most = 10
	var names []string
	for _, n := range list {
		if !slices.Contains(names, n.Name) {
			names = append(names, n.Name)
		}
	}
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}
