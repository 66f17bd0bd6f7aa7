package workload

import (
	"math"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// workload is an object Workload: groups that were made together.
type workload struct {
	name   string
	groups []group
}

// group is a pod group. Groups are independent of each other.
type group struct {
	name string // unique in the Workload
	// How many of its Pods have to be placed together; 0 for a group whose Pods are placed one by one.
	least    int32
	priority string // a class; empty for none
	tasks    []span
}

// everything is the name of a group of all roles.
const everything = "all"

// span is Tasks of a role, the first and the last among them.
type span struct {
	role        string
	first, last int32
}

// openEnd is the last Task of a span that takes all that are added.
const openEnd = math.MaxInt32

// has reports how many Tasks of the span there are.
func (s span) has(role *pluginpb.RoleShape) int32 {
	end := max(0, role.GetTaskNumber())
	if s.last < end {
		end = s.last + 1
	}
	return max(0, end-s.first)
}

// roles returns the roles of the question that have Tasks in the group.
func (g group) roles(all []*pluginpb.RoleShape) []*pluginpb.RoleShape {
	var out []*pluginpb.RoleShape
	for _, role := range all {
		for _, s := range g.tasks {
			if s.role == role.GetName() {
				out = append(out, role)
				break
			}
		}
	}
	return out
}

// tasksOf is how many Tasks of a role the group has.
func (g group) tasksOf(role *pluginpb.RoleShape) int32 {
	var sum int32
	for _, s := range g.tasks {
		if s.role == role.GetName() {
			sum += s.has(role)
		}
	}
	return sum
}

// size returns how many Tasks the group has, and at least how many of them have not completed. The question does not name the completed
// Tasks of a role, so all of them are taken for the group's: a minimum that is too small is better than one that is never reached.
func (g group) size(roles []*pluginpb.RoleShape) (tasks, left int32) {
	for _, role := range g.roles(roles) {
		n := g.tasksOf(role)
		tasks += n
		left += max(0, n-role.GetCompletedTaskCount())
	}
	return tasks, left
}

// leastNow returns the minimum of a group, as far as its uncompleted Tasks allow.
func (g group) leastNow(q *pluginpb.HintRequest, byRole bool) int32 {
	tasks, left := g.size(q.GetRoles())
	if g.least == 0 || tasks == 0 {
		return g.least // it stays a group without a minimum; for a group without Tasks it does not matter
	}
	wanted := gang.Min(q.GetScheduling(), q.GetRoles())
	if byRole {
		wanted = leastOf(q, g.roles(q.GetRoles()))
	}
	return max(1, min(wanted, left))
}

// leastOf adds up the minimums of roles.
func leastOf(q *pluginpb.HintRequest, roles []*pluginpb.RoleShape) int32 {
	var sum int32
	for _, role := range roles {
		sum += gang.MinOf(q.GetScheduling(), q.GetRoles(), role)
	}
	return sum
}
