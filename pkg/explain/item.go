package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// longestItem limits the bytes of an item in a sentence.
const longestItem = 200

// ItemOf returns the item of a Task, from lists by role; empty if the role has none in this attempt, or they are not known.
func ItemOf(lists map[string]*items.List, role *v1.TaskRoleStatus, index int32) string {
	list := lists[role.Name]
	if role.Items == nil || index >= role.Items.Number || !list.BeginsWith(role.Items) {
		return ""
	}
	return list.At(index).String()
}

// taskItem names the item of a Task, if it has one.
func taskItem(k *known, role string, index int32) []Statement {
	about, status := taskSubject(role, index), k.roleStatus(role)
	if status == nil || status.Items == nil || index >= status.Items.Number {
		return nil
	}
	lists := k.Items
	if spec := k.roleSpec(role); spec != nil && spec.Items != nil && spec.Items.ConfigMapKeyRef == nil {
		list, _ := items.FromValues(spec.Items.Values) // nil if it is invalid
		lists = map[string]*items.List{role: list}
	}
	if !lists[role].BeginsWith(status.Items) {
		return []Statement{{Topic: TaskItemUnknown, Subject: about}}
	}
	item := completion.CutVisibly(ItemOf(lists, status, index), longestItem)
	return []Statement{{Topic: TaskItem, Subject: about, Args: Args{Item: item}}}
}
