package hintobjects

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

const namespaceOfTest = "default"

// labelled is an object that anybody may have created, of the maximum size, with the label of a Framework and a controller.
func labelled(name, framework string, controller metav1.OwnerReference) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetName(name)
	o.SetAPIVersion("v1")
	o.SetKind("Service")
	o.SetNamespace(namespaceOfTest)
	o.SetLabels(map[string]string{v1.KeyFrameworkName: framework, "other": "label"})
	o.SetAnnotations(map[string]string{"text": strings.Repeat("x", 256<<10)})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "somebody"}})
	if controller.Kind != "" {
		yes := true
		controller.APIVersion, controller.Controller = "v1", &yes
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n", UID: "n"}, controller})
	}
	var ports []any
	for i := range 1000 {
		ports = append(ports, map[string]any{"port": int64(i + 1)})
	}
	o.Object["spec"] = map[string]any{"ports": ports, "selector": map[string]any{v1.KeyFrameworkName: framework}, "publishNotReadyAddresses": true}
	return o
}

func hintWatches(limits flowcontrol.MemoryLimits) *Watches[[]byte] {
	return NewWatches(context.Background(), WatchOptions[[]byte]{Reading: AttemptObjects, Memory: flowcontrol.NewMemoryBudget(limits), ObjectBytes: 1 << 10})
}

// The watch keeps hint objects whole, as plugins receive them, if the ConfigMap of an attempt controls them: only the managed
// fields are dropped.
func TestHintObjectsOfOthersAreNotKept(t *testing.T) {
	t.Parallel()
	w := hintWatches(flowcontrol.MemoryLimits{})
	attempt := metav1.OwnerReference{Kind: "ConfigMap", Name: "a-attempt", UID: "cm"}
	for name, c := range map[string]struct {
		of   *unstructured.Unstructured
		kept bool
	}{
		"nobody's":          {labelled("o", "a", metav1.OwnerReference{}), false},
		"another kind's":    {labelled("o", "a", metav1.OwnerReference{Kind: "Job", Name: "a-attempt", UID: "cm"}), false},
		"another attempt's": {labelled("o", "b", attempt), false},
		"the attempt's":     {labelled("o", "a", attempt), true},
	} {
		trimmed, err := w.trim(c.of)
		require.NoError(t, err)
		o := trimmed.(*WatchedObject[[]byte])
		if kept := o.Content != nil; kept != c.kept {
			t.Errorf("%s is kept: %v", name, kept)
		}
		if c.kept && (!strings.Contains(string(*o.Content), `"ports"`) || strings.Contains(string(*o.Content), "managedFields") || o.bytes != len(*o.Content)) {
			t.Errorf("kept are %d of %d bytes", o.bytes, len(*o.Content))
		}
		again, err := w.trim(trimmed)
		require.NoError(t, err)
		require.Same(t, o, again)
	}
}

// The kept content counts for the Framework named by the label until the object is gone or names another one, and nothing beyond
// the bound is kept.
func TestWatchedObjectsCount(t *testing.T) {
	t.Parallel()
	const most = 400 << 10 // one object fits, two do not
	w := hintWatches(flowcontrol.MemoryLimits{Namespace: most})
	handler := w.counted()
	watched := func(name, framework string) *WatchedObject[[]byte] {
		trimmed, err := w.trim(labelled(name, framework, metav1.OwnerReference{Kind: "ConfigMap", Name: v1.ConfigMapName(framework), UID: "cm"}))
		require.NoError(t, err)
		return trimmed.(*WatchedObject[[]byte])
	}
	key := cache.NewObjectName(namespaceOfTest, "a")
	exceeded := func() bool { return w.Memory.Exceeded(key) != nil }

	first := watched("one", "a")
	handler.OnAdd(first, false)
	handler.OnUpdate(first, first) // counts once
	require.False(t, exceeded())
	second := watched("two", "b")
	require.NotNil(t, second.Content)
	handler.OnAdd(second, false)
	require.True(t, exceeded(), "two count together")
	third := watched("three", "a")
	require.Nil(t, third.Content, "beyond the bound")
	handler.OnAdd(third, false)

	handler.OnUpdate(second, watched("two", "c"))
	require.False(t, exceeded(), "another version of it has come, which is not kept")
	handler.OnDelete(cache.DeletedFinalStateUnknown{Obj: first})
	handler.OnDelete(second)
	handler.OnDelete(third)
	require.NoError(t, w.Memory.Admit(key, most, 0), "nothing counts any longer")
}
