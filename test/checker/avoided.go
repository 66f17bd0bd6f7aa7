package checker

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// avoided holds that the list of nodes that Pods avoid is bounded, has each node once per purpose, and gains only nodes on which the named
// Task has failed, in the write that adds them.
type avoided struct{}

func (avoided) see(t *replay, c change) {
	if c.framework == nil || c.framework.after == nil || c.framework.after.Status == nil || len(c.framework.after.Status.AvoidedNodes) == 0 {
		return
	}
	after := c.framework.after
	var before []v1.AvoidedNode
	if b := c.framework.before; b != nil && b.UID == after.UID && b.Status != nil {
		before = b.Status.AvoidedNodes
	}
	seen := map[avoidedKey]v1.AvoidedNode{}
	for _, n := range before {
		seen[keyOf(n)] = n
	}
	t.hold(Avoided, c.subject(), len(after.Status.AvoidedNodes) <= v1.MaxAvoidedNodes, "%d nodes are avoided", len(after.Status.AvoidedNodes))
	now := map[avoidedKey]bool{}
	for _, n := range after.Status.AvoidedNodes {
		t.hold(Avoided, c.subject(), !now[keyOf(n)], "%s is avoided twice", n.Name)
		now[keyOf(n)] = true
		if _, known := seen[keyOf(n)]; known || c.framework.before == nil {
			continue
		}
		task := after.tasks[place{n.TaskRoleName, n.TaskIndex}]
		failed := task != nil && task.AttemptStatus.CompletionStatus != nil && task.AttemptStatus.CompletionStatus.Code == n.Code &&
			task.AttemptStatus.PodNodeName != nil && *task.AttemptStatus.PodNodeName == n.Name
		t.hold(Avoided, c.subject(), failed, "%s is avoided because of Task %s-%d, which has not failed there with %d", n.Name, n.TaskRoleName, n.TaskIndex, n.Code)
	}
}

// avoidedKey is the purpose of an entry: a node, a role or all Pods, and the plugin, if any, that wants it.
type avoidedKey struct{ node, role, plugin string }

func keyOf(n v1.AvoidedNode) avoidedKey {
	key := avoidedKey{node: n.Name, role: n.Role}
	if n.Source != nil {
		key.plugin = n.Source.Plugin
	}
	return key
}
