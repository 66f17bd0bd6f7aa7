package lifecycle

import (
	"iter"

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

// gangSize returns how many of the Tasks of all roles the gang needs. It is never more than there are.
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
