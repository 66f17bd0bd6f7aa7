package lifecycle_test

import (
	"fmt"
	"slices"
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

// claimed returns the input of the first round in which the Tasks ask for the claims of a volume per Task, with the state after it.
func claimed(spec *v1.FrameworkSpec) lifecycle.Input {
	spec.Volumes = append(spec.Volumes, v1.VolumeSpec{Name: "data", Per: v1.VolumePerTask})
	in := inputOf(nil, spec)
	in.Saved = lifecycle.Step(in).State
	in.Observed.ConfigMap.ConfigMap = &lifecycle.ConfigMap{UID: "cm", Cached: true, FrameworkUID: "f"}
	in.Observed.Pods = map[lifecycle.TaskRef]lifecycle.PodView{}
	in.Observed.Claims = map[lifecycle.ClaimRef]lifecycle.ClaimView{}
	for range 2 {
		in.Saved = lifecycle.Step(in).State
	}
	return in
}

// indicesOf returns the indices of the claims that are kept, and deleted.
func indicesOf(actions []lifecycle.Action) (kept, deleted []int32) {
	for _, a := range actions {
		switch a := a.(type) {
		case lifecycle.KeepClaim:
			kept = append(kept, a.Claim.Index)
		case lifecycle.DeleteClaim:
			deleted = append(deleted, a.Claim.Index)
		}
	}
	return kept, deleted
}

func from(first, end int32) (indices []int32) {
	for i := first; i < end; i++ {
		indices = append(indices, i)
	}
	return indices
}

// A volume with many claims is taken out and put back: the claims that were not deleted yet stay. The status lists only the others, and each
// Task waits for its own.
func TestVolumePutBack(t *testing.T) {
	with, without := roles(250), roles(250)
	in := claimed(with)
	in.Framework.Spec = without
	out := lifecycle.Step(in)
	if _, deleted := indicesOf(out.Actions); !slices.Equal(deleted, from(150, 250)) {
		t.Fatalf("the volume is taken out, and claims %v are deleted", deleted)
	}
	in.Saved, in.Framework.Spec = out.State, with
	in.Saved = lifecycle.Step(in).State
	entry := in.Saved.Framework().Volumes[0]
	if entry.Claims != 250 || entry.Removing != 0 || !slices.Equal(entry.Replacing, from(150, 250)) {
		t.Fatalf("it is put back: %+v", entry)
	}
	in.Observed.Claims[lifecycle.ClaimRef{Volume: "data", Per: v1.VolumePerTask, Role: "r0", Index: 200}] = lifecycle.ClaimView{Gone: true}
	out = lifecycle.Step(in)
	left := append(from(150, 200), from(201, 250)...)
	kept, deleted := indicesOf(out.Actions)
	if !slices.Equal(kept, append(from(0, 150), 200)) || !slices.Equal(deleted, left) || !slices.Equal(out.State.Framework().Volumes[0].Replacing, left) {
		t.Errorf("one has gone: claims %v are kept, and %v deleted", kept, deleted)
	}
}

// The claims that an earlier version was deleting, though the volume had been put back, are waited for one by one.
func TestVolumePutBackEarlier(t *testing.T) {
	in := claimed(roles(3))
	status := *in.Saved.Status()
	status.Volumes = []v1.VolumeStatus{{Name: "data", Per: v1.VolumePerTask, Role: "r0", Claims: 3, Removing: 3, Retention: v1.VolumeDelete}}
	saved, err := lifecycle.Load(&status)
	if err != nil {
		t.Fatal(err)
	}
	in.Saved = saved
	in.Saved = lifecycle.Step(in).State
	if entry := in.Saved.Framework().Volumes[0]; entry.Removing != 0 || !slices.Equal(entry.Replacing, from(0, 3)) {
		t.Errorf("%+v", entry)
	}
}

// A status that replaces claims that it does not have is not read.
func TestReplacingTooMany(t *testing.T) {
	status := *claimed(roles(1)).Saved.Status()
	for _, index := range []int32{-1, 1} {
		status.Volumes = []v1.VolumeStatus{{Name: "data", Per: v1.VolumePerTask, Role: "r0", Claims: 1, Replacing: []int32{index}, Retention: v1.VolumeDelete}}
		if _, err := lifecycle.Load(&status); err == nil {
			t.Errorf("Task %d of one is accepted", index)
		}
	}
}
