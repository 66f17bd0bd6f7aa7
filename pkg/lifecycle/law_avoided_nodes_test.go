package lifecycle_test

import (
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// lawAvoidedNodes: the list is bounded, sorted and free of duplicates; a new entry names a node that has failed in this very
// round, and no expired entry, or one that lasts too long, is written.
func (c *checker) lawAvoidedNodes(in lifecycle.Input, out lifecycle.Output) {
	list := out.State.Framework().AvoidedNodes
	var before []v1.AvoidedNode
	if in.Saved != nil {
		before = in.Saved.Framework().AvoidedNodes
	}
	if out.State == in.Saved {
		return
	}
	if len(list) > v1.MaxAvoidedNodes || !slices.IsSortedFunc(list, func(a, b v1.AvoidedNode) int { return strings.Compare(avoidedKey(a), avoidedKey(b)) }) {
		c.violationf("avoided nodes: bounded and in order", "%s", text(list))
	}
	byPolicy, seen := map[string]int{}, map[string]bool{}
	for _, n := range list {
		key := avoidedKey(n)
		if seen[key] {
			c.violationf("avoided nodes: each once", "%s", text(list))
		}
		seen[key] = true
		longest := int64(v1.MaxAdvisedSeconds)
		if n.Source == nil {
			byPolicy[n.Role]++
			longest = naiveAvoidedFor(in.Framework.Spec, n.Role)
		}
		if !n.Until.After(in.Now.Truncate(time.Second)) || n.Until.After(in.Now.Add(time.Duration(longest)*time.Second)) {
			c.violationf("avoided nodes: for a time, and no longer", "at %s: %s", in.Now, text(n))
		}
		c.lawAvoidedBecause(in, out, before, n)
	}
	for role, number := range byPolicy {
		grown := number > len(slices.DeleteFunc(slices.Clone(before), func(n v1.AvoidedNode) bool { return n.Source != nil || n.Role != role }))
		if most := naiveAvoidPolicy(in.Framework.Spec, role); grown && (most == nil || number > int(most.MaxNodes)) {
			c.violationf("avoided nodes: as many as the policy says", "%s", text(list))
		}
	}
}

// lawAvoidedBecause: an entry that is new, or has changed, names a Task that has failed there in this round, unless a Pod was too
// strict.
func (c *checker) lawAvoidedBecause(in lifecycle.Input, out lifecycle.Output, before []v1.AvoidedNode, n v1.AvoidedNode) {
	for _, old := range before {
		if avoidedKey(old) == avoidedKey(n) && !n.Until.After(old.Until.Time) && (n.Mode == old.Mode || n.Mode == v1.AvoidPrefer) {
			if old.Relaxed && !n.Relaxed {
				c.violationf("avoided nodes: once relaxed, always relaxed", "%s -> %s", text(old), text(n))
			}
			return
		}
	}
	ref := lifecycle.TaskRef{Role: n.TaskRoleName, Index: n.TaskIndex}
	was, is := in.Saved.Task(ref), out.State.Task(ref)
	failed := is != nil && endedThere(is) && is.AttemptStatus.CompletionStatus.Code == n.Code && *is.AttemptStatus.PodNodeName == n.Name
	if !failed || was != nil && was.AttemptStatus.CompletionStatus != nil {
		c.violationf("avoided nodes: because of a failure there", "%s: %s", text(n), text(is))
	}
}

// endedThere reports whether an attempt failed by its Pod, or as that was not got to run.
func endedThere(t *v1.TaskStatus) bool {
	s := t.AttemptStatus.CompletionStatus
	if s == nil || s.Pod != nil {
		return s != nil
	}
	return t.AttemptStatus.PendingSince != nil && (s.Source != nil || -133 <= s.Code && s.Code <= -131)
}

// lawNotStranded: a Pod that must avoid nodes, and has found none for long, is relaxed.
func (c *checker) lawNotStranded(in lifecycle.Input, out lifecycle.Output) {
	for ref, view := range in.Observed.Pods {
		if in.Observed.Partial || in.Saved == nil || view.Pod == nil || !view.Pod.AvoidsStrictly || view.Pod.NodeName != "" || view.Pod.Deleting {
			continue
		}
		stall, task := view.Pod.StallCause, out.State.Task(ref)
		if stall == nil || stall.Reason == reason.SchedulingGated || task == nil || task.AttemptStatus.PodUID == nil || *task.AttemptStatus.PodUID != view.Pod.UID || view.Gone == view.Pod.UID {
			continue
		}
		framework := out.State.Framework().State
		live := task.State == v1.AttemptPreparing && task.AttemptStatus.CompletionStatus == nil && !in.Framework.Deleting &&
			(framework == v1.AttemptPreparing || framework == v1.AttemptRunning)
		if live && !in.Now.Before(stall.Since.Add(5*time.Minute)) && showsConfigMap(in.Observed, out.State.Framework()) {
			c.violationf("avoided nodes: nobody is stranded", "%s: %s", ref, text(view.Pod))
		}
		was := in.Saved.Task(ref)
		given := was != nil && was.AttemptStatus.CompletionStatus == nil && task.AttemptStatus.CompletionStatus != nil && task.AttemptStatus.CompletionStatus.Code == -241
		if given && stall.Reason == reason.Unschedulable && !stall.AvoidanceBars && in.Now.Before(stall.Since.Add(time.Minute)) && task.AttemptStatus.PendingSince == nil {
			c.violationf("avoided nodes: nothing is given up in the first minute of a full cluster", "%s: %s", ref, text(view.Pod))
		}
	}
}

func avoidedKey(n v1.AvoidedNode) string {
	plugin := ""
	if n.Source != nil {
		plugin = n.Source.Plugin
	}
	return n.Name + " " + n.Role + " " + plugin
}

func naiveAvoidPolicy(spec *v1.FrameworkSpec, role string) *v1.AvoidNodesSpec {
	if role == "" {
		return spec.RetryPolicy.AvoidNodes
	}
	policy, _ := taskPolicy(spec, role)
	return policy.AvoidNodes
}

func naiveAvoidedFor(spec *v1.FrameworkSpec, role string) int64 {
	if policy := naiveAvoidPolicy(spec, role); policy != nil {
		return int64(policy.ForSec)
	}
	return 0
}
