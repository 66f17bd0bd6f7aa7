package gang

import (
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Shape is roles whose Pods a scheduler cannot tell from each other.
type Shape struct {
	// Roles are never none. The first gives the shape its name.
	Roles []*pluginpb.RoleShape
}

// Name is that of the shape.
func (s Shape) Name() string { return s.Roles[0].GetName() }

// Merge returns the roles by their shapes, at most so many. Equal roles share one only where that is needed, since a
// scheduler tells people of each by its name. There may be more shapes than that, if the roles are too different.
func Merge(roles []*pluginpb.RoleShape, most int) []Shape {
	var out []Shape
	for _, role := range roles {
		out = append(out, Shape{[]*pluginpb.RoleShape{role}})
	}
	if len(out) <= most {
		return out
	}
	out = nil
	byShape := map[string]int{}
	for _, role := range roles {
		key := shapeOf(role)
		i, known := byShape[key]
		if !known {
			byShape[key] = len(out)
			out = append(out, Shape{[]*pluginpb.RoleShape{role}})
			continue
		}
		out[i].Roles = append(out[i].Roles, role)
	}
	return out
}

// shapeOf is what a scheduler sees of a Pod of the role, and what the role wants of it.
func shapeOf(role *pluginpb.RoleShape) string {
	seen := &pluginpb.RoleShape{
		Requests:          role.GetRequests(),
		Limits:            role.GetLimits(),
		NodeSelector:      role.GetNodeSelector(),
		TolerationsJson:   role.GetTolerationsJson(),
		AffinityJson:      role.GetAffinityJson(),
		PriorityClassName: role.GetPriorityClassName(),
		RuntimeClassName:  role.GetRuntimeClassName(),

		TopologySpreadConstraintsJson: role.GetTopologySpreadConstraintsJson(),
		ResourceClaimsJson:            role.GetResourceClaimsJson(),
	}
	text, _ := proto.MarshalOptions{Deterministic: true}.Marshal(seen) // of a message that was made here, it cannot fail
	return string(text)
}
