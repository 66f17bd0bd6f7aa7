package gang

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Size is the Pods of a role that have the same amounts.
type Size struct {
	// Name is the name of the role, and for raised Tasks the name and a number. It fits into a label, and differs from the names of other
	// roles, which contain no "-".
	Name string
	// Role is the role of the Pods, with their requests and limits.
	Role *pluginpb.RoleShape
	// Count is the number of Pods that are left. It is 0 if no Task has the amounts of the template.
	Count int32
	// Indices are the Tasks of these Pods, ascending. It is nil for the amounts of the template, which all other Tasks have. There
	// may be more than Count: in a role with parallelism, some come later.
	Indices []int32
}

// Sizes returns the Pods that a role has left by their amounts: first the template's, then the Tasks whose memory was raised, the least
// memory first. If more Tasks are raised than are left, the ones with the most memory count.
func Sizes(role *pluginpb.RoleShape) ([]Size, error) {
	out := []Size{{Name: role.GetName(), Role: with(role, role.GetRequests(), role.GetLimits())}}
	for _, raised := range role.GetRaisedTasks() {
		out = append(out, Size{Role: with(role, raised.GetRequests(), raised.GetLimits()), Indices: raised.GetIndices()})
	}
	for _, s := range out {
		for name, text := range s.Role.GetRequests() {
			if _, err := resource.ParseQuantity(text); err != nil {
				return nil, fmt.Errorf("role %s: request of %s: %w", role.GetName(), name, err)
			}
		}
	}
	slices.SortStableFunc(out[1:], func(a, b Size) int { return compare(a.memory(), b.memory()) })
	left := Left(role)
	for i := len(out) - 1; i > 0; i-- {
		out[i].Name = LabelValue(role.GetName(), int32(i))
		out[i].Count = min(int32(len(out[i].Indices)), left)
		left -= out[i].Count
	}
	out[0].Count = left
	return out, nil
}

// with returns a role without raised Tasks that has these amounts.
func with(role *pluginpb.RoleShape, requests, limits map[string]string) *pluginpb.RoleShape {
	out := proto.CloneOf(role)
	out.RaisedTasks = nil
	out.Requests, out.Limits = requests, limits
	return out
}

func (s Size) memory() string { return cmp.Or(s.Role.GetRequests()["memory"], "0") }

// compare compares two quantities that Sizes has checked.
func compare(a, b string) int {
	x := resource.MustParse(a)
	return x.Cmp(resource.MustParse(b))
}

// Largest returns one size for all Pods that a role has left, with the largest amount of each request, for a scheduler that cannot have a
// size for each.
func Largest(role *pluginpb.RoleShape) ([]Size, error) {
	sizes, err := Sizes(role)
	if err != nil || len(sizes) == 1 {
		return sizes, err
	}
	requests := map[string]string{}
	for _, s := range sizes {
		for name, text := range s.Role.GetRequests() {
			if s.Count > 0 && compare(text, cmp.Or(requests[name], "0")) > 0 {
				requests[name] = text
			}
		}
	}
	return []Size{{Name: role.GetName(), Role: with(role, requests, nil), Count: Left(role)}}, nil
}

// Sizing is Sizes or Largest.
type Sizing = func(*pluginpb.RoleShape) ([]Size, error)
