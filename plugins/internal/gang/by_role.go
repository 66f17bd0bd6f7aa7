package gang

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// ByRole reports whether the minimum of the gang follows from the minimums of its roles alone. It returns false if the gang
// needs all Pods, or if it has only one minimum for all roles together. It returns an error, written for the author of the
// Framework, if roles have minimums and minTasks is greater than their sum: a scheduler accepts only one of the two.
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
		return false, fmt.Errorf("scheduling.gang: minTasks asks for %d Tasks, and perRole for %d of them, and this scheduler accepts "+
			"only one of the two; make them equal, or remove one", least, sum)
	}
	return sum > 0, nil
}
