package lifecycle_test

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// withItems returns the input with as many Tasks in the spec as there are items.
func withItems(in lifecycle.Input, state *lifecycle.State) lifecycle.Input {
	spec := in.Framework.Spec.DeepCopy()
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		status, _ := state.Role(role.Name)
		if status.Items == nil {
			continue
		}
		if most := status.Items.Number; role.TaskNumber == 1 || role.TaskNumber > most {
			role.TaskNumber = most
		}
	}
	in.Framework.Spec = spec
	return in
}

// awaitsItems reports whether a role of the spec has no Tasks because its items are not known.
func awaitsItems(role *v1.TaskRoleSpec, state *lifecycle.State) bool {
	status, _ := state.Role(role.Name)
	return role.Items != nil && status.Items == nil && state.Task(lifecycle.TaskRef{Role: role.Name}) == nil
}

// lawItems: the items of an attempt that has begun only become more, none begins without those of its roles, and a Pod is created only
// if its item is known.
func (c *checker) lawItems(in lifecycle.Input, out lifecycle.Output) {
	for _, name := range out.State.Roles() {
		after, _ := out.State.Role(name)
		if in.Saved != nil {
			before, _ := in.Saved.Role(name)
			c.lawItemsStay(in, before, after)
		}
	}
	for _, action := range out.Actions {
		switch a := action.(type) {
		case lifecycle.CreateConfigMap:
			for i := range in.Framework.Spec.TaskRoles {
				role := &in.Framework.Spec.TaskRoles[i]
				if status, _ := out.State.Role(role.Name); role.Items != nil && (status.Items == nil || !in.Observed.Items[role.Name].List.BeginsWith(status.Items)) {
					c.violationf("items: no attempt begins without them", "role %s: %s", role.Name, text(out.State.Status()))
				}
			}
		case lifecycle.CreatePod:
			status, _ := out.State.Role(a.Task.Role)
			if status.Items != nil && (a.Task.Index >= status.Items.Number || in.Observed.Items[a.Task.Role].Of(status.Items) == nil) {
				c.violationf("items: a Pod is created with its item", "%s", action)
			}
		}
	}
}

func (c *checker) lawItemsStay(in lifecycle.Input, before, after v1.TaskRoleStatus) {
	if in.Saved.Framework().State == v1.AttemptCreationPending || before.InstanceUID != after.InstanceUID || before.Items == after.Items {
		return
	}
	more := before.Items == nil && len(before.TaskStatuses) == 0 ||
		before.Items != nil && after.Items != nil && after.Items.Number > before.Items.Number && in.Observed.Items[before.Name].List.BeginsWith(before.Items)
	if !more {
		c.violationf("items: they only become more", "role %s: %s, then %s", before.Name, text(before.Items), text(after.Items))
	}
}

// lawSameItem: all Pods of a Task in an attempt get the same item. A role that is removed and comes back has other Tasks.
func (c *checker) lawSameItem() {
	if c.stored == nil {
		return
	}
	for _, pod := range c.story.Pods() {
		if pod.Foreign || pod.Late {
			continue
		}
		role, _ := c.stored.Role(pod.Task.Role)
		key := fmt.Sprint(pod.ConfigMapUID, role.InstanceUID, pod.Task)
		before, known := c.items[key]
		if known && before != pod.Item {
			c.violationf("items: a Task keeps its item", "%s: %q, then %q", pod.Task, before, pod.Item)
		}
		c.items[key] = pod.Item
	}
}

// lacksItem reports whether a Task cannot have a Pod because its item is not known.
func (c *checker) lacksItem(ref lifecycle.TaskRef) bool {
	status, _ := c.stored.Role(ref.Role)
	return status.Items != nil && c.story.Everything().Items[ref.Role].Of(status.Items) == nil
}
