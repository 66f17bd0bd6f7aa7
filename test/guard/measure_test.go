package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// measures are counts by name.
type measures map[string]int

// over returns the measures above their limits, sorted. A measure without a limit must be 0.
func (m measures) over(limits measures) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] > limits[name] {
			out = append(out, name)
		}
	}
	return out
}

// table shows every measure and every limit.
func (m measures) table(limits measures) string {
	names := maps.Clone(limits)
	maps.Copy(names, m)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "measure\tvalue\tlimit")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(w, "%s\t%d\t%d\n", name, m[name], limits[name])
	}
	_ = w.Flush()
	return b.String()
}

// median is not affected by allocations of other parts of the process during some of the values.
func median(values []int) int {
	slices.Sort(values)
	return values[len(values)/2]
}

func TestOver(t *testing.T) {
	found := measures{"a": 2, "b": 3, "c": 1}.over(measures{"a": 2, "b": 2, "d": 0})
	if !slices.Equal(found, []string{"b", "c"}) {
		t.Errorf("over their limits are %q", found)
	}
}
