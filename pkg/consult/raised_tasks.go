package consult

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// raisedTasks returns the Tasks of a role whose later Pods have more memory than the template, grouped by how much. Patches of hints are
// not in these amounts, as they are not in the amounts of the role.
func raisedTasks(role *v1.TaskRoleSpec, saved *lifecycle.State) (out []*pluginpb.RaisedTasks, err error) {
	groups := map[string]*pluginpb.RaisedTasks{}
	for ref, t := range saved.Tasks {
		if ref.Role != role.Name || len(t.Memory) == 0 || t.State == v1.Completed || t.DeletionPending {
			continue
		}
		raised := memory.Within(t.Memory, role.Task.RetryPolicy.OnOOM)
		group := groups[fmt.Sprint(raised)]
		if group == nil {
			if group, err = raisedShape(role, raised); err != nil {
				return nil, err
			}
			groups[fmt.Sprint(raised)] = group
			out = append(out, group)
		}
		group.Indices = append(group.Indices, ref.Index)
	}
	return out, nil
}

func raisedShape(role *v1.TaskRoleSpec, raised []v1.ContainerMemory) (*pluginpb.RaisedTasks, error) {
	with := *role
	var err error
	if with.Task.Pod, err = objects.WithMemory(role.Name, role.Task.Pod, raised); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadTemplate, err)
	}
	shape, err := RoleShape(&with)
	if err != nil {
		return nil, err
	}
	return &pluginpb.RaisedTasks{Requests: shape.GetRequests(), Limits: shape.GetLimits()}, nil
}
