package consult

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// scheduling returns spec.scheduling in the form for plugins, or nil.
func scheduling(spec *v1.FrameworkSpec, saved *lifecycle.State) *pluginpb.Scheduling {
	s := spec.Scheduling
	if s == nil {
		return nil
	}
	out := &pluginpb.Scheduling{
		Gang:              gang(spec, saved),
		Queue:             s.Queue,
		PriorityClassName: s.PriorityClassName,
	}
	if s.TimeoutSec != nil {
		out.TimeoutSeconds = *s.TimeoutSec
	}
	for _, t := range s.Topology {
		out.Topology = append(out.Topology, &pluginpb.Topology{Key: t.Key, Required: t.Mode == v1.TopologyRequired, TaskRole: t.Role})
	}
	return out
}

// gang returns how many of the uncompleted Tasks have to be placed together, without Tasks of roles that are held back.
func gang(spec *v1.FrameworkSpec, saved *lifecycle.State) *pluginpb.Gang {
	if spec.Scheduling.Gang == nil {
		return nil
	}
	var total, completed int32
	for i := range spec.TaskRoles {
		if saved.Framework().Gates.HeldBack(&spec.TaskRoles[i]) {
			continue
		}
		number, over := lifecycle.TasksAtOnce(&spec.TaskRoles[i], saved.Completed(spec.TaskRoles[i].Name))
		total += int32(number)
		completed += int32(over)
	}
	least := total
	if given := spec.Scheduling.Gang.MinTasks; given != nil {
		least = min(*given, total)
	}
	return &pluginpb.Gang{MinTaskCount: left(least, total, completed)}
}

// minOfRole returns how many Tasks of a role have to be among them; 0 if the Framework does not specify it.
func minOfRole(spec *v1.FrameworkSpec, role string, total, completed int32) int32 {
	if spec.Scheduling == nil || spec.Scheduling.Gang == nil {
		return 0
	}
	for _, least := range spec.Scheduling.Gang.PerRole {
		if least.Role == role {
			return left(min(least.MinTasks, total), total, completed)
		}
	}
	return 0
}

// left returns the rest of a minimum after Tasks have completed: they count as placed. While any Task is left, it is at least
// 1.
func left(least, total, completed int32) int32 {
	if completed >= total {
		return 0
	}
	return max(1, least-completed)
}
