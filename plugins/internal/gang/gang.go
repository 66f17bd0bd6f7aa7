package gang

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Name is that of the attempt: of its group, or of whatever there is one of for each attempt.
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

// Min is how many Pods have to be placed together: all, unless the Framework says less. It is 0 if there are none.
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

// Requests adds up what so many Pods of each role request, in Kubernetes quantities. The error names a request that is none.
func Requests(roles []*pluginpb.RoleShape, pods func(*pluginpb.RoleShape) int32) (map[string]string, error) {
	sums := map[string]resource.Quantity{}
	for _, role := range roles {
		count := int64(pods(role))
		for name, text := range role.GetRequests() {
			one, err := resource.ParseQuantity(text)
			if err != nil {
				return nil, fmt.Errorf("task role %s: request of %s: %w", role.GetName(), name, err)
			}
			if count == 0 {
				continue // a sum without it needs no mention of what it requests
			}
			one.Mul(count)
			sum := sums[name]
			sum.Add(one)
			sums[name] = sum
		}
	}
	out := make(map[string]string, len(sums))
	for name, sum := range sums {
		out[name] = sum.String()
	}
	return out, nil
}

// errPriorities is for schedulers that order whole gangs.
var errPriorities = errors.New("the Pods of a gang have one priority; give all task roles the same priorityClassName, or none and one in spec.scheduling")

// PriorityClass is that of the gang: the one of spec.scheduling, or else the one that the Pods of all roles have. It is empty
// if they have none, and an error if they have different ones.
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
