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

// taskGroupsOf returns the task groups of the roles with a minimum. YuniKorn has no other minimum. Tasks whose memory was raised have a
// group of their own, as YuniKorn drops placeholders that are smaller than their Pods.
func taskGroupsOf(q *pluginpb.HintRequest, sizes gang.Sizing) (groups []taskGroup, others []raised, err error) {
	s, roles := q.GetScheduling(), q.GetRoles()
	byRole, err := gang.ByRole(s, roles)
	if err != nil {
		return nil, nil, err
	}
	if least := gang.Min(s, roles); !byRole && least < gang.Total(roles) {
		return nil, nil, fmt.Errorf("scheduling.gang: minTasks is %d of %d, of whatever role, and a task group has the Tasks of one; "+
			"say with perRole how many of each role they are", least, gang.Total(roles))
	}
	for _, role := range roles {
		least := gang.Left(role)
		if byRole {
			least = gang.MinOf(s, roles, role)
		}
		sizes, err := sizes(role)
		if err != nil {
			return nil, nil, err
		}
		for _, size := range sizes {
			if count := min(least, size.Count); count > 0 {
				groups = append(groups, taskGroupOf(size, count))
				least -= count
			}
			if size.Indices != nil {
				others = append(others, raised{role.GetName(), size.Name, gang.Ranges(size.Indices)})
			}
		}
	}
	return groups, others, nil
}

func taskGroupOf(size gang.Size, least int32) taskGroup {
	role := size.Role
	requests := role.GetRequests()
	if requests == nil {
		requests = map[string]string{} // null would be none of a map
	}
	return taskGroup{
		Name:                      size.Name,
		MinMember:                 least,
		MinResource:               requests,
		NodeSelector:              role.GetNodeSelector(),
		Tolerations:               role.GetTolerationsJson(),
		Affinity:                  role.GetAffinityJson(),
		TopologySpreadConstraints: role.GetTopologySpreadConstraintsJson(),
	}
}
