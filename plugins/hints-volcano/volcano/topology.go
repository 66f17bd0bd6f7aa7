package volcano

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// networkTopology is the single topology of a group.
type networkTopology struct {
	Mode               string `json:"mode"` // hard or soft
	HighestTierAllowed int64  `json:"highestTierAllowed"`
}

// topologyOf returns nil if the Pods may be anywhere. Tiers are nested, so the lowest requested tier satisfies the others, too. Preferences
// count only if nothing is required, and are ignored if Volcano cannot express them.
func (s settings) topologyOf(q *pluginpb.HintRequest) (*networkTopology, error) {
	var required, preferred int64
	for _, t := range q.GetScheduling().GetTopology() {
		tier, err := s.tierOf(t, q.GetRoles())
		switch {
		case err != nil && t.GetRequired():
			return nil, fmt.Errorf("spec.scheduling.topology: %w, or make it Preferred", err)
		case err != nil:
		case t.GetRequired():
			required = lower(required, tier)
		default:
			preferred = lower(preferred, tier)
		}
	}
	switch {
	case required > 0:
		return &networkTopology{"hard", required}, nil
	case preferred > 0:
		return &networkTopology{"soft", preferred}, nil
	}
	return nil, nil
}

// tierOf returns the highest tier across which a demand lets the Pods spread.
func (s settings) tierOf(t *pluginpb.Topology, roles []*pluginpb.RoleShape) (int64, error) {
	if role := t.GetTaskRole(); role != "" && !isAlone(role, roles) {
		return 0, fmt.Errorf("role %s: Volcano keeps the Pods of a whole group together, but not the Pods of one role; remove role", role)
	}
	tier, known := s.TopologyTiers[t.GetKey()]
	if !known {
		return 0, fmt.Errorf("key %s: which tier of HyperNodes it is, is not known; have it put into the parameter topologyTiers", t.GetKey())
	}
	return tier, nil
}

// isAlone reports that only this role has Pods, so that it is the group.
func isAlone(name string, roles []*pluginpb.RoleShape) bool {
	for _, role := range roles {
		if role.GetName() != name && gang.Left(role) > 0 {
			return false
		}
	}
	return true
}

// lower returns the lower of two tiers; before may be 0, if there is none yet.
func lower(before, tier int64) int64 {
	if before == 0 {
		return tier
	}
	return min(before, tier)
}
