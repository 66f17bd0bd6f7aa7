package lifecycle_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawStartOrder: a gate opens when everything that its role starts after has been reached, and not before; it does not close
// in that attempt; and whoever has seen one revision of the gates knows by the next that something has opened.
func (c *checker) lawStartOrder(in lifecycle.Input, out lifecycle.Output) {
	c.spec = in.Framework.Spec
	c.lawReadyTime(in, out)
	before, after := (*v1.RoleGates)(nil), out.State.Framework().Gates
	if in.Saved != nil && in.Saved.Framework().AttemptStatus.ID == out.State.Framework().AttemptStatus.ID {
		before = in.Saved.Framework().Gates
	}
	decided := out.State.Framework().AttemptStatus.CompletionStatus != nil
	ordered := orderedRoles(c.spec)
	if !decided && (after != nil) != anyInState(ordered, out.State) {
		c.violationf("gates are there if a role has a startAfter", "%s", text(after))
	}
	if after == nil {
		return
	}
	c.lawRevision(before, after, out.State)
	for _, role := range ordered {
		created, open := !after.HeldBack(role), !after.Closed(role)
		switch {
		case before != nil && (!before.HeldBack(role) && !created || !before.Closed(role) && !open):
			c.violationf("a gate does not close", "%s: %s -> %s", role.Name, text(before), text(after))
		case open && !created:
			c.violationf("what may start may be created", "%s: %s", role.Name, text(after))
		}
		if created && (before == nil || before.HeldBack(role)) && !naiveCreated(c.spec, in, out, role, after) {
			c.violationf("no Pods before what they start after has succeeded", "%s: %s", role.Name, text(out.State.Status()))
		}
		if open && (before == nil || before.Closed(role)) && !naiveReached(c.spec, in.Saved, role, false) && !naiveReached(c.spec, out.State, role, false) {
			c.violationf("a gate opens when everything is reached", "%s: %s", role.Name, text(out.State.Status()))
		}
		if !decided && out.State.Framework().CompletionTime == nil && created && !open && naiveReached(c.spec, out.State, role, false) {
			c.violationf("a gate opens at once", "%s: %s", role.Name, text(out.State.Status()))
		}
	}
	for _, action := range out.Actions {
		if create, ok := action.(lifecycle.CreatePod); ok && heldBack(c.spec, after, create.Task.Role) {
			c.violationf("what is held back gets no Pods", "%s: %s", action, text(after))
		}
	}
}

// orderedRoles are those that start after others; of roles of one name the first counts.
func orderedRoles(spec *v1.FrameworkSpec) (out []*v1.TaskRoleSpec) {
	seen := map[string]bool{}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if !seen[role.Name] && len(role.StartAfter) > 0 {
			out = append(out, role)
		}
		seen[role.Name] = true
	}
	return out
}

func anyInState(roles []*v1.TaskRoleSpec, state *lifecycle.State) bool {
	return slices.ContainsFunc(roles, func(r *v1.TaskRoleSpec) bool { _, ok := state.Role(r.Name); return ok })
}

// heldBack reports whether a role gets no Pods yet.
func heldBack(spec *v1.FrameworkSpec, gates *v1.RoleGates, name string) bool {
	if spec == nil {
		return false
	}
	i := slices.IndexFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == name })
	return i >= 0 && gates.HeldBack(&spec.TaskRoles[i])
}

// naiveCreated reports whether a role may have Pods: what it waits to succeed has succeeded, and what else it waits for may
// have Pods, too.
func naiveCreated(spec *v1.FrameworkSpec, in lifecycle.Input, out lifecycle.Output, role *v1.TaskRoleSpec, gates *v1.RoleGates) bool {
	for _, s := range role.StartAfter {
		if s.Framework != "" && !suffices(s, naiveOutcome(out.State.Framework().StartedAfter, s.Framework)) {
			return false
		}
		if s.Framework == "" && s.When != v1.StartSucceeded && heldBack(spec, gates, s.Role) {
			return false
		}
	}
	return naiveReached(spec, in.Saved, role, true) || naiveReached(spec, out.State, role, true)
}

// naiveReached counts Tasks one by one: whether what a role starts after is reached, in success or in all else.
func naiveReached(spec *v1.FrameworkSpec, state *lifecycle.State, role *v1.TaskRoleSpec, success bool) bool {
	if state == nil {
		return false
	}
	for _, s := range role.StartAfter {
		i := slices.IndexFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == s.Role })
		if s.Framework != "" || i < 0 || (s.When == v1.StartSucceeded) != success {
			continue
		}
		reached := 0
		number := int(max(spec.TaskRoles[i].TaskNumber, 0))
		for index := range number {
			task := state.Task(lifecycle.TaskRef{Role: s.Role, Index: int32(index)})
			if task != nil && !task.DeletionPending && naiveTaskReached(task, s.When) {
				reached++
			}
		}
		if s.When != v1.StartSucceeded {
			number = min(number, naiveTurns(spec, s.Role))
		}
		if reached < number {
			return false
		}
	}
	return true
}

func naiveTaskReached(task *v1.TaskStatus, when v1.StartWhen) bool {
	runs, over := task.State == v1.AttemptRunning, task.State == v1.Completed
	switch when {
	case v1.StartAddressed:
		ip := task.AttemptStatus.PodIP
		waits := task.RetryPolicyStatus.RetryDelaySec != nil || task.AttemptStatus.Restart != nil && !over
		return ip != nil && *ip != "" && !waits
	case v1.StartReady:
		return over || runs && task.AttemptStatus.ReadyTime != nil
	case v1.StartSucceeded:
		return over && task.AttemptStatus.CompletionStatus.Type.Name == v1.CompletionSucceeded
	}
	return over || runs
}

func (c *checker) lawRevision(before, after *v1.RoleGates, state *lifecycle.State) {
	a := &state.Framework().AttemptStatus
	if a.ConfigMapUID == nil || after.Revision == "" && a.CompletionStatus != nil { // decided as soon as it had one
		if after.Revision != "" {
			c.violationf("revision: none without an attempt", "%s", text(after))
		}
		return
	}
	if uid := v1.InstanceUID(a.ID, string(*a.ConfigMapUID)); !strings.HasPrefix(after.Revision, uid+"/") {
		c.violationf("revision: is of its attempt", "%s of %s", text(after), uid)
	}
	if before == nil || before.Revision == "" {
		return
	}
	same := slices.Equal(before.Created, after.Created) && slices.Equal(before.Open, after.Open)
	if same != (before.Revision == after.Revision) || revisionNumber(after) < revisionNumber(before) {
		c.violationf("revision: grows with what has opened", "%s -> %s", text(before), text(after))
	}
}

func revisionNumber(g *v1.RoleGates) int {
	n, err := strconv.Atoi(g.Revision[strings.LastIndex(g.Revision, "/")+1:])
	if err != nil {
		panic(fmt.Sprintf("revision %q", g.Revision))
	}
	return n
}

// lawReadyTime: readiness is recorded where somebody waits for it, and nowhere else.
func (c *checker) lawReadyTime(in lifecycle.Input, out lifecycle.Output) {
	awaited := map[string]bool{}
	for _, role := range in.Framework.Spec.TaskRoles {
		for _, s := range role.StartAfter {
			awaited[s.Role] = awaited[s.Role] || s.When == v1.StartReady
		}
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if task.AttemptStatus.ReadyTime == nil || awaited[ref.Role] {
			return
		}
		if before := in.Saved.Task(ref); before == nil || !sameAttempt(before, task) || before.AttemptStatus.ReadyTime == nil {
			c.violationf("readyTime: only where somebody waits", "%s", ref)
		}
	})
}
