package gang

import (
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Shape is a list of roles whose Pods look the same to a scheduler.
type Shape struct {
	// Roles is never empty. The first gives the shape its name.
	Roles []*pluginpb.RoleShape
}

// Name returns the name of the shape.
func (s Shape) Name() string { return s.Roles[0].GetName() }

// Merge groups the roles into at most `most` shapes. Equal roles share a shape only if the limit requires it, since a
// scheduler reports each shape by its name. If the roles are too different, Merge returns more than `most` shapes.
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

// shapeOf encodes the fields by which a scheduler sees a Pod of the role, and the role's requests to it.
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
	text, _ := proto.MarshalOptions{Deterministic: true}.Marshal(seen) // cannot fail for a message built here
	return string(text)
}
