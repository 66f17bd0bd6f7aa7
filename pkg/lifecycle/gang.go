package lifecycle

import (
	"iter"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// GangRole counts the Tasks of a role that is part of a gang, and the placed ones. The caller defines what counts as placed.
type GangRole struct {
	Name          string
	Total, Placed int
}

// GangPlaced reports whether enough Tasks of a gang are placed, of all roles together and of each role with its own minimum. A
// nil gang needs all Tasks. Roles that are held back are not part of it.
func GangPlaced(gang *v1.GangSpec, roles iter.Seq[GangRole]) bool {
	var all GangRole
	for role := range roles {
		if role.Placed < gangMinimum(gang, role) {
			return false
		}
		all.Total += role.Total
		all.Placed += role.Placed
	}
	return all.Placed >= gangSize(gang, all.Total)
}

// gangSize returns how many Tasks of all roles the gang needs. It never exceeds their number.
func gangSize(gang *v1.GangSpec, total int) int {
	if gang == nil || gang.MinTasks == nil {
		return total
	}
	return min(int(*gang.MinTasks), total)
}

// gangMinimum returns how many Tasks of the role the gang needs; 0 if the role has no minimum of its own.
func gangMinimum(gang *v1.GangSpec, role GangRole) int {
	if gang == nil {
		return 0
	}
	for _, least := range gang.PerRole {
		if least.Role == role.Name {
			return min(int(least.MinTasks), role.Total)
		}
	}
	return 0
}

// GangTasks are the Tasks of a role that is part of a gang. Spec is nil if the spec no longer has the role.
type GangTasks struct {
	Name  string
	Spec  *v1.TaskRoleSpec
	Tasks iter.Seq[*v1.TaskStatus]
}

// HalfGang returns a role that may block a gang endlessly while other Tasks of the gang keep their nodes: the gang was placed, as far
// as is known, and a retried Task of the role has no node and no deadline for one. It is empty if there is none.
func HalfGang(s *v1.SchedulingSpec, placement *v1.PlacementStatus, roles iter.Seq[GangTasks]) (endless string) {
	if s == nil || s.Gang == nil && s.TimeoutSec == nil || placement != nil && placement.PlacedTime == nil {
		return ""
	}
	var gang []GangRole
	hold := 0
	for role := range roles {
		of := GangRole{Name: role.Name}
		inTurns := role.Spec != nil && role.Spec.Parallelism != nil
		for t := range role.Tasks {
			if t.DeletionPending || inTurns && !hasTurn(t) { // Tasks without a turn follow when others have completed
				continue
			}
			node := t.AttemptStatus.PodNodeName
			hasNode := node != nil && *node != ""
			of.Total++
			switch {
			case t.State == v1.Completed:
				of.Placed++
			case hasNode && t.State != v1.AttemptCompleted:
				of.Placed++
				hold++
			case endless == "" && !hasNode && t.State == v1.AttemptPreparing && t.AttemptStatus.ID > 0 && waitsWithoutEnd(role.Spec):
				endless = role.Name
			}
		}
		gang = append(gang, of)
	}
	if hold == 0 || GangPlaced(s.Gang, slices.Values(gang)) {
		return ""
	}
	return endless
}

func waitsWithoutEnd(role *v1.TaskRoleSpec) bool {
	return role != nil && (role.Task.StartDeadline == nil || role.Task.StartDeadline.UnscheduledSec == 0)
}
