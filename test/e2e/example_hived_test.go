package e2e

import (
	"fmt"
	"reflect"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// hived begins the names of HiveD's annotations and of its resource.
const hived = "hivedscheduler.microsoft.com/"

// hivedPlacesWorkers imitates HiveD, which does not run here: it binds all Pods of the group, and writes into each which GPUs of the node
// are its own.
func hivedPlacesWorkers(s *story) {
	for i := range 3 {
		name := fmt.Sprintf("tensorflowpshived-worker-%d", i)
		p := until(s, thePods, name, "waiting for HiveD", func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
		binding := &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: p.UID, Annotations: map[string]string{
				hived + "pod-leaf-cell-isolation": fmt.Sprint(i),
				hived + "pod-bind-info":           fmt.Sprintf("{node: node-0, leafCellIsolation: [%d]}", i),
			}},
			Target: corev1.ObjectReference{Kind: "Node", Name: "node-0"},
		}
		require.NoError(s.t, s.pods.Bind(s.t.Context(), binding, metav1.CreateOptions{}))
	}
}

// requireHived checks that all that HiveD looks at is in the Pods, with nothing changed but placeholders.
func (s *story) requireHived(pods map[string]*corev1.Pod) {
	s.t.Helper()
	for i := range 3 {
		name := fmt.Sprintf("tensorflowpshived-worker-%d", i)
		p := pods[name]
		if p.Spec.SchedulerName != "hivedscheduler" || p.Spec.Priority == nil || *p.Spec.Priority != 1000 {
			s.t.Errorf("%s: scheduler %s, priority %v", name, p.Spec.SchedulerName, p.Spec.Priority)
		}
		var got any
		require.NoError(s.t, yaml.Unmarshal([]byte(p.Annotations[hived+"pod-scheduling-spec"]), &got))
		want := map[string]any{
			"virtualCluster": "VC1", "priority": int64(1000), "leafCellType": "V100", "leafCellNumber": int64(1),
			"affinityGroup": map[string]any{
				"name":    s.namespace + "/tensorflowpshived",
				"members": []any{map[string]any{"podNumber": int64(3), "leafCellNumber": int64(1)}},
			},
		}
		if !reflect.DeepEqual(got, want) {
			s.t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if got := gpusFrom(p.Spec.Containers[0]); got != "metadata.annotations['"+hived+"pod-leaf-cell-isolation']" {
			s.t.Errorf("%s takes its GPUs from %q", name, got)
		}
	}
	if p := pods["tensorflowpshived-ps-0"]; p.Spec.SchedulerName != corev1.DefaultSchedulerName {
		s.t.Errorf("%s needs no GPU, and yet HiveD: %s", p.Name, p.Spec.SchedulerName)
	}
}

func gpusFrom(c corev1.Container) string {
	for _, e := range c.Env {
		if e.Name == "NVIDIA_VISIBLE_DEVICES" && e.ValueFrom != nil && e.ValueFrom.FieldRef != nil {
			return e.ValueFrom.FieldRef.FieldPath
		}
	}
	return ""
}
