package kueue

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

var (
	workloads     = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "workloads"}
	clusterQueues = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "clusterqueues"}
)

// story has a queue, research, in its namespace.
type story struct{ *gangs.Story }

const queue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: NAMESPACE}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: FLAVOR, resources: [{name: cpu, nominalQuota: CPUS}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: research, namespace: NAMESPACE}
spec: {clusterQueue: NAMESPACE}
`

// newStory has a queue with that number of CPUs.
func newStory(t *testing.T, cpus int) *story {
	t.Helper()
	return newStoryOf(t, "default", cpus)
}

func newStoryOf(t *testing.T, flavor string, cpus int) *story {
	t.Helper()
	s := &story{world.NewStory(t)}
	require.NoError(t, world.Apply(t.Context(), strings.NewReplacer("NAMESPACE", s.Namespace, "FLAVOR", flavor, "CPUS", fmt.Sprint(cpus)).Replace(queue)))
	return s
}

// limitMemory adds memory to the quota of the queue.
func (s *story) limitMemory(quota string) {
	s.T.Helper()
	patch := fmt.Sprintf(`[{"op": "add", "path": "/spec/resourceGroups/0/coveredResources/1", "value": "memory"},
		{"op": "add", "path": "/spec/resourceGroups/0/flavors/0/resources/1", "value": {"name": "memory", "nominalQuota": %q}}]`, quota)
	_, err := world.Objects.Resource(clusterQueues).Patch(s.T.Context(), s.Namespace, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(s.T, err)
}

// spec is the spec of a Framework in the queue.
func spec(roles ...string) string {
	return gangs.With("scheduling: {queue: research}", gangs.Spec(roles...))
}

// awaitWorkloads waits until there are exactly these, each with its numbers of Pods, such as "first-0 3+1".
func (s *story) awaitWorkloads(want ...string) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		list, err := world.Objects.Resource(workloads).Namespace(s.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		var got []string // in the order of their names
		for _, w := range list.Items {
			got = append(got, w.GetName()+" "+podCounts(w))
		}
		if g, w := strings.Join(got, ", "), strings.Join(want, ", "); g != w {
			return fmt.Errorf("the Workloads are %s, want %s", g, w)
		}
		return nil
	})
}

func podCounts(w unstructured.Unstructured) string {
	sets, _, _ := unstructured.NestedSlice(w.Object, "spec", "podSets")
	var counts []string
	for _, set := range sets {
		counts = append(counts, fmt.Sprint(set.(map[string]any)["count"]))
	}
	return strings.Join(counts, "+")
}
