package volcano

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// preemptionWarnings name the first role that Volcano may preempt in part, so that the rest of the gang keeps its places and waits: Volcano
// preempts single Pods, also below the minimum of a group.
func preemptionWarnings(roles []*pluginpb.RoleShape) []string {
	if gang.Total(roles) < 2 {
		return nil
	}
	for _, role := range roles {
		if gang.Left(role) > 0 && leavesOthers(role, roles) {
			return []string{fmt.Sprintf("Volcano preempts single Pods, also below the minimum of a gang. If it preempts Pods of role %s, the others of the gang "+
				"keep their places and wait for them: set retryPolicy.restart of its Tasks to Framework, or have one lost Pod end the attempt: "+
				"set minFailedTaskCount to 1 and allow its Tasks no retries", role.GetName())}
		}
	}
	return nil
}

// leavesOthers reports whether other Pods of the gang go on after Pods of the role were preempted.
func leavesOthers(role *pluginpb.RoleShape, roles []*pluginpb.RoleShape) bool {
	p := role.GetRetryPolicy()
	switch {
	case p == nil: // the controller is too old to send it
		return false
	case !p.GetFancyRetryPolicy() && p.GetMaxRetryCount() == 0:
		return role.GetMinFailedTaskCount() != 1 // otherwise the attempt ends
	case p.GetRestart() == pluginpb.RestartScope_RESTART_SCOPE_TASK:
		return true
	case p.GetRestart() == pluginpb.RestartScope_RESTART_SCOPE_ROLE:
		return gang.Left(role) < gang.Total(roles)
	}
	return false // all restart, or the controller is too old to send the scope
}
