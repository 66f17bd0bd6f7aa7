package volcano

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// minimum is how many Pods have to get their places together.
type minimum struct {
	pods int32
	// perRole has the roles that need some of these Pods.
	perRole map[string]int32
	// rest is the number of further Pods, of any role, and restOf the only role that has more; empty if several have.
	rest   int32
	restOf string
}

func minimumOf(q *pluginpb.HintRequest) minimum {
	out := minimum{perRole: map[string]int32{}}
	var sum, withMore int32
	for _, role := range q.GetRoles() {
		least := gang.MinOf(q.GetScheduling(), q.GetRoles(), role)
		if least > 0 {
			out.perRole[role.GetName()] = least
			sum += least
		}
		if gang.Left(role) > least {
			out.restOf = role.GetName()
			withMore++
		}
	}
	if withMore != 1 {
		out.restOf = ""
	}
	// Volcano ignores the minimum of roles if the total minimum is less than their sum.
	out.pods = max(gang.Min(q.GetScheduling(), q.GetRoles()), sum)
	out.rest = out.pods - sum
	return out
}

// surelyOf returns how many Pods of a role are in every such minimum. Only Volcano knows which roles the rest will be taken from, and a
// group that asked for more than it needs would wait for ever.
func (m minimum) surelyOf(role *pluginpb.RoleShape) int32 {
	pods := m.perRole[role.GetName()]
	if role.GetName() == m.restOf {
		pods += m.rest
	}
	return pods
}
