package yunikorn

import (
	"encoding/json"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// taskGroup has the number of placeholders for a role and their shape, which equals the shape of the Pods.
type taskGroup struct {
	Name                      string            `json:"name"`
	MinMember                 int32             `json:"minMember"`
	MinResource               map[string]string `json:"minResource"`
	NodeSelector              map[string]string `json:"nodeSelector,omitempty"`
	Tolerations               json.RawMessage   `json:"tolerations,omitempty"`
	Affinity                  json.RawMessage   `json:"affinity,omitempty"`
	TopologySpreadConstraints json.RawMessage   `json:"topologySpreadConstraints,omitempty"`
}

// taskGroupsOf returns the task groups of the roles with a minimum. YuniKorn has no other minimum.
func taskGroupsOf(q *pluginpb.HintRequest) ([]taskGroup, error) {
	s, roles := q.GetScheduling(), q.GetRoles()
	byRole, err := gang.ByRole(s, roles)
	if err != nil {
		return nil, err
	}
	if least := gang.Min(s, roles); !byRole && least < gang.Total(roles) {
		return nil, fmt.Errorf("scheduling.gang: minTasks is %d of %d, of whatever role, and a task group has the Tasks of one; "+
			"say with perRole how many of each role they are", least, gang.Total(roles))
	}
	var out []taskGroup
	for _, role := range roles {
		least := gang.Left(role)
		if byRole {
			least = gang.MinOf(s, roles, role)
		}
		if least > 0 {
			out = append(out, taskGroupOf(role, least))
		}
	}
	return out, nil
}

func taskGroupOf(role *pluginpb.RoleShape, least int32) taskGroup {
	requests := role.GetRequests()
	if requests == nil {
		requests = map[string]string{} // null would be none of a map
	}
	return taskGroup{
		Name:                      role.GetName(),
		MinMember:                 least,
		MinResource:               requests,
		NodeSelector:              role.GetNodeSelector(),
		Tolerations:               role.GetTolerationsJson(),
		Affinity:                  role.GetAffinityJson(),
		TopologySpreadConstraints: role.GetTopologySpreadConstraintsJson(),
	}
}
