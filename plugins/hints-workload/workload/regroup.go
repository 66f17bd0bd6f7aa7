package workload

import (
	"fmt"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// maxGroups is how many groups a Workload may have.
const maxGroups = 8

// regroup adapts the groups to the question: existing groups get the current minimum, if the form allows it, and Tasks without a group get
// groups of their own.
func (a *attempt) regroup() error {
	byRole, err := gang.ByRole(a.question.GetScheduling(), a.question.GetRoles())
	if err != nil {
		return err
	}
	if err := a.extend(); err != nil {
		return err
	}
	if a.form.onUpdate != pluginpb.Object_KEEP {
		for _, w := range a.workloads {
			for i, g := range w.groups {
				w.groups[i].least = g.leastNow(a.question, byRole)
			}
		}
	}
	groups, err := a.divide(a.uncovered(byRole), byRole)
	if err != nil {
		return err
	}
	if len(groups) > 0 {
		a.workloads = append(a.workloads, workload{name: a.nextName(), groups: groups})
	}
	return a.checkTopology()
}

// nextName returns the name of one more Workload. Names of Frameworks and of roles contain no "-", so it is unique.
func (a *attempt) nextName() string {
	name := gang.Name(a.question.GetFramework())
	if len(a.workloads) == 0 {
		return name
	}
	return fmt.Sprintf("%s-added-%d", name, len(a.workloads))
}

// extend adds new roles to a group of everything, if it can grow. Its priority stays, so theirs must be the same.
func (a *attempt) extend() error {
	if !a.form.grows || len(a.workloads) == 0 {
		return nil
	}
	groups := a.workloads[0].groups
	if len(groups) != 1 || groups[0].name != everything {
		return nil
	}
	groups[0].tasks = a.spans(a.question.GetRoles())
	_, err := a.withPriority(slices.Clone(groups))
	return err
}

// spans returns the Tasks of whole roles, including Tasks that may be added later if the group can grow.
func (a *attempt) spans(roles []*pluginpb.RoleShape) []span {
	var out []span
	for _, role := range roles {
		switch {
		case a.form.grows:
			out = append(out, span{role.GetName(), 0, openEnd})
		case role.GetTaskNumber() > 0:
			out = append(out, span{role.GetName(), 0, role.GetTaskNumber() - 1})
		}
	}
	return out
}

// uncovered returns the Tasks that are in no group. While the gang is set by role, a role without Tasks waits until it has some: only then
// is it known whether it has a minimum.
func (a *attempt) uncovered(byRole bool) []span {
	next := map[string]int64{} // index after the last grouped Task, by role
	for _, w := range a.workloads {
		for _, g := range w.groups {
			for _, s := range g.tasks {
				next[s.role] = max(next[s.role], int64(s.last)+1)
			}
		}
	}
	var out []span
	for _, role := range a.question.GetRoles() {
		if byRole && role.GetTaskNumber() <= 0 {
			continue
		}
		for _, s := range a.spans([]*pluginpb.RoleShape{role}) {
			if from := next[s.role]; from <= int64(s.last) {
				out = append(out, span{s.role, int32(from), s.last})
			}
		}
	}
	return out
}
