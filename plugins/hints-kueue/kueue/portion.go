package kueue

import (
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// portion is Tasks of a role whose Pods have the same amounts, so that they fit into one pod set.
type portion struct {
	name   string              // of the pod set, if the portion has its own
	role   *pluginpb.RoleShape // with the amounts of these Pods
	ranges []*pluginpb.IndexRange
	count  int32 // of Pods, without completed Tasks
}

// mostRanges limits the ranges of a role's Tasks. Hints are stored, with about 80 bytes for each range.
const mostRanges = 60

// portionsOf divides Tasks by the amounts of their Pods.
func portionsOf(of []tasks, sizesOf gang.Sizing) ([]portion, error) {
	var out []portion
	for _, t := range of {
		sizes, err := sizesOf(t.role)
		if err != nil {
			return nil, err
		}
		out = append(out, t.divide(sizes)...)
	}
	return out, nil
}

// divide returns a portion for the Tasks with the amounts of the template, and one for each other size, if they have Pods. All Tasks are
// in a portion, also completed ones.
func (t tasks) divide(sizes []gang.Size) []portion {
	var out []portion
	rest, left := t.indices(), t.count
	inFront := t.isScattered(sizes)
	for _, s := range slices.Backward(sizes[1:]) {
		here := slices.DeleteFunc(slices.Clone(s.Indices), func(i int32) bool { return i < t.first || i > t.last })
		count := min(int32(len(here)), left)
		if inFront {
			count = min(s.Count, left)
			here = rest[:count]
		}
		if count > 0 {
			rest = without(rest, here)
			out = append(out, portion{s.Name, s.Role, gang.Ranges(here), count})
			left -= count
		}
	}
	if left > 0 || len(out) == 0 {
		out = append(out, portion{sizes[0].Name, sizes[0].Role, gang.Ranges(rest), left})
	} else {
		last := &out[len(out)-1]
		last.ranges = append(last.ranges, gang.Ranges(rest)...)
	}
	slices.Reverse(out)
	return out
}

// without returns the indices that are not among the others; both are ascending.
func without(indices, others []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(indices), func(i int32) bool {
		_, found := slices.BinarySearch(others, i)
		return found
	})
}

func (t tasks) indices() []int32 {
	out := make([]int32, 0, t.last-t.first+1)
	for i := t.first; i <= t.last; i++ {
		out = append(out, i)
	}
	return out
}

// isScattered reports whether the portions have the right numbers of Tasks, but not the right ones: raised Tasks are counted in front of
// the others. It holds if their ranges are too many, or if Tasks of a role with parallelism take the places of others, and are like the
// last of these. Then a Pod may get the assignments of another pod set, which differ if its flavor does.
func (t tasks) isScattered(sizes []gang.Size) bool {
	ranges := 0
	for _, s := range sizes[1:] {
		ranges += len(gang.Ranges(s.Indices))
		if n := len(s.Indices); n > 0 && s.Indices[n-1] > t.last {
			return t.first == 0
		}
	}
	return t.first == 0 && ranges > mostRanges
}
