package gang

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Name returns the name of an object that exists once for each attempt, such as the attempt's group.
func Name(f *pluginpb.Framework) string { return fmt.Sprintf("%s-%d", f.GetName(), f.GetAttemptId()) }

// Left is how many Pods a role has, or will have: Tasks that have completed have none.
func Left(role *pluginpb.RoleShape) int32 {
	return max(0, role.GetTaskNumber()-role.GetCompletedTaskCount())
}

// Total is Left of all roles together.
func Total(roles []*pluginpb.RoleShape) int32 {
	var sum int32
	for _, role := range roles {
		sum += Left(role)
	}
	return sum
}

// Min returns how many Pods have to be placed together: all, unless the Framework sets fewer. It is 0 if there are no Pods.
func Min(s *pluginpb.Scheduling, roles []*pluginpb.RoleShape) int32 {
	total := Total(roles)
	if s.GetGang() == nil {
		return total
	}
	return min(s.GetGang().GetMinTaskCount(), total)
}

// MinOf is how many Pods of a role have to be among them. Without a word of the Framework, it is all if the gang is all, and
// none otherwise.
func MinOf(s *pluginpb.Scheduling, roles []*pluginpb.RoleShape, role *pluginpb.RoleShape) int32 {
	switch {
	case role.GetMinTaskCount() > 0:
		return min(role.GetMinTaskCount(), Left(role))
	case Min(s, roles) == Total(roles):
		return Left(role)
	}
	return 0
}

// Requests adds up the requests of Pods, in Kubernetes quantities. The function `pods` returns the number of Pods of a role. If these are
// not all that are left, the smallest ones count. The error names a request that is no quantity.
func Requests(roles []*pluginpb.RoleShape, pods func(*pluginpb.RoleShape) int32) (map[string]string, error) {
	sums := map[string]resource.Quantity{}
	for _, role := range roles {
		sizes, err := Sizes(role)
		if err != nil {
			return nil, err
		}
		left := pods(role)
		for _, s := range sizes {
			count := min(left, s.Count)
			left -= count
			s.addTo(sums, count)
		}
	}
	out := make(map[string]string, len(sums))
	for name, sum := range sums {
		out[name] = sum.String()
	}
	return out, nil
}

// addTo adds the requests of some Pods. Requests of no Pods add nothing, not even their names.
func (s Size) addTo(sums map[string]resource.Quantity, pods int32) {
	if pods == 0 {
		return
	}
	for name, text := range s.Role.GetRequests() {
		one := resource.MustParse(text) // Sizes has checked it
		one.Mul(int64(pods))
		sum := sums[name]
		sum.Add(one)
		sums[name] = sum
	}
}

// errPriorities is for schedulers that order whole gangs.
var errPriorities = errors.New("the Pods of a gang have one priority; give all TaskRoles the same priorityClassName, or none and one in spec.scheduling")

// PriorityClass returns the priority class of the gang: the class in spec.scheduling, or else the class of the Pods of all
// roles with Tasks left. It is empty if they have none. If roles have different classes, it returns an error.
func PriorityClass(s *pluginpb.Scheduling, roles []*pluginpb.RoleShape) (string, error) {
	if name := s.GetPriorityClassName(); name != "" {
		return name, nil
	}
	classes := map[string]bool{}
	for _, role := range roles {
		if Left(role) > 0 {
			classes[role.GetPriorityClassName()] = true
		}
	}
	names := slices.Collect(maps.Keys(classes))
	switch len(names) {
	case 0:
		return "", nil
	case 1:
		return names[0], nil
	}
	return "", errPriorities
}
