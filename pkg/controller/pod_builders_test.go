package controller

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// patchedApart returns builders for a role whose hints place each Task on its own node, and whose template is larger than a
// minimal one by the given bytes.
func patchedApart(t *testing.T, tasks, bytes int) *podBuilders {
	t.Helper()
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{role("w", int32(tasks)), role("other", 1)}}
	spec.TaskRoles[0].Task.Pod = v1.PodTemplate(`{"metadata":{"annotations":{"a":"` + strings.Repeat("x", bytes) + `"}},"spec":{"containers":[{"name":"main","image":"i"}]}}`)
	var patches []any
	for i := range tasks {
		patches = append(patches, map[string]any{
			"taskRole": "w", "indices": []any{map[string]any{"first": i, "last": i}}, "nodeSelector": map[string]string{"host": fmt.Sprint("h", i)},
		})
	}
	b := newPodBuilders(spec, &v1.SchedulerHints{Plugin: "p", Answer: apiserver.JSON(map[string]any{"patches": patches})}, nil, false)
	require.NoError(t, b.err)
	return b
}

// builtFor builds the Pod of a Task, and checks that it has its own patch.
func builtFor(t *testing.T, b *podBuilders, index int) {
	t.Helper()
	pod, err := b.of(lifecycle.TaskRef{Role: "w", Index: int32(index)}, nil).Build(objects.Task{RoleName: "w", Index: int32(index)})
	require.NoError(t, err)
	if !strings.Contains(string(pod), fmt.Sprintf(`"host":"h%d"`, index)) {
		t.Errorf("the Pod of Task %d has another's patch", index)
	}
}

// However many Tasks hints patch in their own way, builders take little more than one for each role, also while the creations of
// all Pods wait for their turn.
func TestBuildersArePatchedOneByOne(t *testing.T) {
	t.Parallel()
	const many, bytes = 10, 1 << 20
	b := patchedApart(t, many, bytes)
	var waiting []func()
	for i := range many {
		made := b.of(lifecycle.TaskRef{Role: "w", Index: int32(i)}, nil)
		waiting = append(waiting, func() { builtFor(t, b, i) })
		if cost := made.costOf(objects.Task{}); cost < bytes {
			t.Fatalf("a Pod costs %d bytes", cost)
		}
		if b.cache.held > b.cache.most || len(b.cache.by) != 1 || b.cache.recent.Len() != 1 {
			t.Fatalf("%d builders are kept, which take %d of %d bytes", len(b.cache.by), b.cache.held, b.cache.most)
		}
	}
	for _, build := range waiting[:3] {
		build()
	}
}

// Small builders are kept for the next Pods, the last used first.
func TestBuildersThatAreKept(t *testing.T) {
	t.Parallel()
	const many = 200
	b := patchedApart(t, many, 0)
	for i := range many {
		builtFor(t, b, i)
	}
	kept := len(b.cache.by)
	if kept < 30 || kept >= many {
		t.Fatalf("%d of %d are kept", kept, many)
	}
	for i := range many {
		held := b.cache.by[b.of(lifecycle.TaskRef{Role: "w", Index: int32(i)}, nil)] != nil
		if want := i >= many-kept; held != want {
			t.Fatalf("the builder of Task %d is kept: %v, of %d", i, held, kept)
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range many {
				builtFor(t, b, i)
			}
		})
	}
	all.Wait()
	if b.cache.held > b.cache.most {
		t.Errorf("%d of %d bytes", b.cache.held, b.cache.most)
	}
}

// A Pod costs what it takes with its own item, not with the item of the first Task.
func TestCostOfItems(t *testing.T) {
	t.Parallel()
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{role("w", 2)}}
	b := newPodBuilders(spec, nil, nil, false)
	list, err := items.FromLines("1\n\"" + strings.Repeat("x", 60_000) + "\"")
	require.NoError(t, err)
	for i, least := range []int{0, 60_000} {
		item := list.At(int32(i))
		cost := b.of(lifecycle.TaskRef{Role: "w", Index: int32(i)}, nil).costOf(objects.Task{RoleName: "w", Index: int32(i), Item: &item})
		if cost < least {
			t.Errorf("Pod %d costs %d bytes", i, cost)
		}
	}
}
