package kueue

import (
	"errors"
	"fmt"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// topologyRequest has one of the two.
type topologyRequest struct {
	Required  string `json:"required,omitempty"`
	Preferred string `json:"preferred,omitempty"`
}

// topology has the topology requests of the shapes.
type topology struct {
	requests []*topologyRequest // nil for a shape without a request
	required bool               // whether any request is
	mistakes []error
}

func topologyOf(s *pluginpb.Scheduling, shapes []gang.Shape) topology {
	out := topology{requests: make([]*topologyRequest, len(shapes))}
	for _, t := range s.GetTopology() {
		if t.GetRequired() && t.GetTaskRole() == "" && len(shapes) > 1 {
			out.refuse("key %s: Kueue keeps the Pods of each TaskRole together, but not the Pods of different roles; set role, or make it Preferred", t.GetKey())
			continue
		}
		for i, shape := range shapes {
			out.add(i, t, shape)
		}
	}
	return out
}

// add notes a demand for a shape, if it is about that.
func (o *topology) add(i int, t *pluginpb.Topology, shape gang.Shape) {
	isRole := func(role *pluginpb.RoleShape) bool { return role.GetName() == t.GetTaskRole() }
	if t.GetTaskRole() != "" && !slices.ContainsFunc(shape.Roles, isRole) {
		return
	}
	before := o.requests[i]
	switch {
	case !t.GetRequired():
		if before == nil { // the first preference counts, as Kueue takes only one, and none if something is required
			o.requests[i] = &topologyRequest{Preferred: t.GetKey()}
		}
	case len(shape.Roles) > 1:
		o.refuse("role %s: the number of TaskRoles is so high that the role shares its pod set; reduce the number, or make the topology Preferred", t.GetTaskRole())
	case before != nil && before.Required != "" && before.Required != t.GetKey():
		o.refuse("key %s: Kueue takes one that is Required, and there is %s already; make one of them Preferred", t.GetKey(), before.Required)
	default:
		o.required = true
		o.requests[i] = &topologyRequest{Required: t.GetKey()}
	}
}

func (o *topology) refuse(format string, args ...any) {
	o.mistakes = append(o.mistakes, fmt.Errorf("spec.scheduling.topology: "+format, args...))
}

var errAdded = errors.New("spec.scheduling.topology: Kueue cannot keep Tasks that are added to a running attempt near the others, which is Required; scale back, or have the attempt begin anew: suspend the Framework and resume it")

// check returns why Kueue cannot fulfil the requests.
func (o *topology) check(added bool) error {
	if len(o.mistakes) > 0 {
		return o.mistakes[0]
	}
	if added && o.required {
		return errAdded
	}
	return nil
}
