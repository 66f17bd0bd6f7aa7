package gang

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// ByRole reports whether the minimum of the gang is said by the minimums of its roles alone. It is not if all Pods are in the
// gang anyway, or if there is only a number of all roles together. An error is for the author of a Framework that says both,
// where one does not follow from the other: for schedulers that know only one of them.
func ByRole(s *pluginpb.Scheduling, roles []*pluginpb.RoleShape) (bool, error) {
	least := Min(s, roles)
	if least == Total(roles) {
		return false, nil
	}
	var sum int32
	for _, role := range roles {
		sum += MinOf(s, roles, role)
	}
	if sum > 0 && sum < least {
		return false, fmt.Errorf("scheduling.gang: minTasks asks for %d Tasks, and perRole for %d of them, and this scheduler can be told "+
			"only one of the two; make them equal, or take one out", least, sum)
	}
	return sum > 0, nil
}
