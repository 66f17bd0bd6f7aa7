package workload

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// divide makes groups of Tasks that are in none yet.
func (a *attempt) divide(tasks []span, byRole bool) ([]group, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	if byRole {
		return a.divideByRole(tasks)
	}
	g := group{name: everything, tasks: tasks}
	q := a.question
	switch {
	case len(a.workloads) == 0:
		g.least = gang.Min(q.GetScheduling(), q.GetRoles())
	case gang.Min(q.GetScheduling(), q.GetRoles()) == gang.Total(q.GetRoles()):
		g.least, _ = g.size(q.GetRoles()) // added Tasks, too, are of use only together, and none of them has completed
	}
	return a.withPriority([]group{g})
}

// divideByRole makes a group for each role that has a minimum, and one for all that have none. Added Tasks of a role that has
// its minimum already are among the latter.
func (a *attempt) divideByRole(tasks []span) ([]group, error) {
	var withMinimum []*pluginpb.RoleShape
	of := map[string]span{}
	var others []span
	for _, s := range tasks {
		role := roleOf(a.question, s.role)
		if s.first > 0 || gang.MinOf(a.question.GetScheduling(), a.question.GetRoles(), role) == 0 {
			others = append(others, s)
			continue
		}
		withMinimum, of[s.role] = append(withMinimum, role), s
	}
	most := maxGroups
	if len(others) > 0 {
		most--
	}
	shapes := gang.Merge(withMinimum, most)
	if len(shapes) > most {
		return nil, fmt.Errorf("scheduling.gang.perRole: %d roles of different shapes have a minimum, and there may be %d pod groups at most; "+
			"leave some out, or give only minTasks", len(shapes), most)
	}
	var out []group
	for _, shape := range shapes {
		g := group{name: shape.Name(), least: leastOf(a.question, shape.Roles)}
		for _, role := range shape.Roles {
			g.tasks = append(g.tasks, of[role.GetName()])
		}
		out = append(out, g)
	}
	if len(others) > 0 {
		out = append(out, group{name: others[0].role, tasks: others})
	}
	return a.withPriority(out)
}

func roleOf(q *pluginpb.HintRequest, name string) *pluginpb.RoleShape {
	for _, role := range q.GetRoles() {
		if role.GetName() == name {
			return role
		}
	}
	return nil
}

// withPriority gives groups the priority of their Pods, because kube-scheduler uses the group's. The groups of a Workload must share one
// priority: different ones are refused.
func (a *attempt) withPriority(groups []group) ([]group, error) {
	if !a.form.needsPriority(a.question.GetScheduling()) {
		return groups, nil
	}
	var roles []*pluginpb.RoleShape
	for _, g := range groups {
		roles = append(roles, g.roles(a.question.GetRoles())...)
	}
	class, err := gang.PriorityClass(a.question.GetScheduling(), roles)
	for i := range groups {
		groups[i].priority = class
	}
	return groups, err
}
