package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// claiming returns the shortest time of a round in which Tasks ask for a claim of each of 20 volumes.
func claiming(t *testing.T, numbers ...int32) (took time.Duration) {
	spec := roles(numbers...)
	for i := range 20 {
		spec.Volumes = append(spec.Volumes, v1.VolumeSpec{Name: fmt.Sprint("v", i), Per: v1.VolumePerTask})
	}
	in := inputOf(nil, spec)
	in.Saved = lifecycle.Step(in).State
	in.Observed.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: "cm", Cached: true, FrameworkUID: "f"}
	in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{}
	in.Saved = lifecycle.Step(in).State
	for range 3 {
		start := time.Now()
		out := lifecycle.Step(in)
		if now := time.Since(start); took == 0 || now < took {
			took = now
		}
		if claims := 20 * taskNumber(in.Saved); len(out.Actions) != claims {
			t.Fatalf("%d of %d claims", len(out.Actions), claims)
		}
	}
	return took
}

// The claims of many roles take the time of as many claims of one role: no list of all volumes of all roles is searched for each.
func TestVolumesOfManyRoles(t *testing.T) {
	numbers := make([]int32, 200)
	for i := range numbers {
		numbers[i] = 20
	}
	if one, many := claiming(t, 4000), claiming(t, numbers...); many > 6*one {
		t.Errorf("a round takes %s with many roles, and %s with one", many, one)
	}
}
