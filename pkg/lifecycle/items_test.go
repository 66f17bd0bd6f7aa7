package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// The clock may have been put back since the attempt began, or another controller's is behind. A ConfigMap that was read then is not read
// again and again until the clock has caught up, and the attempt begins.
func TestItemsAfterAClockWasPutBack(t *testing.T) {
	spec := roles(1)
	spec.TaskRoles[0].Items = &v1.ItemsSpec{ConfigMapKeyRef: &v1.ItemsKeyRef{Name: "l", Key: "list"}}
	in := inputOf(nil, spec)
	in.Saved = lifecycle.Step(in).State
	in.Now = noon.Add(-time.Hour)
	read := lifecycle.ReadItems{Role: "r0"}
	if out := lifecycle.Step(in); !slices.Contains(out.Actions, lifecycle.Action(read)) {
		t.Fatalf("it does %v", out.Actions)
	}
	list, err := items.FromLines("1\n2\n")
	if err != nil {
		t.Fatal(err)
	}
	in.Observed.Items = map[string]lifecycle.ItemsView{"r0": {List: list, ReadAt: in.Now}}
	if out := lifecycle.Step(in); !slices.Equal(out.Actions, []lifecycle.Action{lifecycle.CreateConfigMap{}}) {
		t.Errorf("it does %v", out.Actions)
	}
	in.Observed.Items = map[string]lifecycle.ItemsView{"r0": {Problem: "it does not exist", ReadAt: in.Now}}
	if out := lifecycle.Step(in); len(out.Actions) > 0 {
		t.Errorf("after a problem it does %v", out.Actions)
	}
	in.Observed.Items = map[string]lifecycle.ItemsView{"r0": {Problem: "it does not exist", ReadAt: noon.Add(time.Hour)}}
	if out := lifecycle.Step(in); !slices.Contains(out.Actions, lifecycle.Action(read)) {
		t.Errorf("after it was read in the future it does %v", out.Actions)
	}
}
