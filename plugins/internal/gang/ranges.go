package gang

import "github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"

// Ranges returns ascending indices as ranges.
func Ranges(indices []int32) []*pluginpb.IndexRange {
	var out []*pluginpb.IndexRange
	for _, i := range indices {
		if n := len(out); n > 0 && out[n-1].Last+1 == i {
			out[n-1].Last = i
			continue
		}
		out = append(out, &pluginpb.IndexRange{First: i, Last: i})
	}
	return out
}
