package avoidance

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-nodes/nodefault"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

func fields(text string) []string { return strings.Fields(text) }

// A Pod that fails on a faulty node is excused: it is retried elsewhere without being counted. The Framework has no avoidNodes, and no
// counted retries.
func TestPluginExcusesPods(t *testing.T) {
	tests := []struct {
		name string
		harm func(s *gangs.Story, node string) (mend func())
		rule string
	}{
		{"condition", conditionOf("KernelDeadlock"), "condition KernelDeadlock"},
		{"taint", taintOf("example.com/broken"), "taint example.com/broken"},
		{"device", taintDevice, "device taint example.com/xid"},
		{"nothing", func(*gangs.Story, string) func() { return func() {} }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := world.NewStory(t)
			s.Create("f", spec("plugin", 1, "{fancyRetryPolicy: true, maxRetryCount: 0}", ""))
			f := s.Await("f", "running", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 1 })
			node := *f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.PodNodeName
			mend := test.harm(s, node)
			defer mend()
			time.Sleep(2 * time.Second) // the plugin watches, and offers no way to ask for its state
			killRunning(s, "f")
			if test.rule == "" {
				if f := s.Await("f", "failed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed }); f.AttemptStatus.CompletionStatus.Code != 7 {
					t.Errorf("%+v", f.AttemptStatus.CompletionStatus)
				}
				return
			}
			f = s.Await("f", "running again", func(f *v1.FrameworkStatus) bool {
				r := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].RetryPolicyStatus
				return f.Tasks.Running == 1 && r.TotalRetriedCount == 1 && r.AccountableRetriedCount == 0
			})
			if !onlyElsewhere(f, node) {
				t.Errorf("it went back to %s", node)
			}
			if len(f.AvoidedNodes) != 1 {
				t.Fatalf("%+v", f.AvoidedNodes)
			}
			n := f.AvoidedNodes[0]
			if n.Name != node || n.Mode != v1.AvoidRequire || n.Code != nodefault.CodeNodeAtFault || n.Source == nil || n.Source.Plugin != "nodes" || n.Source.Rule != test.rule || n.Reason == "" {
				t.Errorf("%+v by %+v", n, n.Source)
			}
		})
	}
}

// killRunning fails the Pods of a Framework.
func killRunning(s *gangs.Story, name string) {
	s.T.Helper()
	pods, err := s.Pods(s.T.Context(), name)
	require.NoError(s.T, err)
	for _, pod := range pods {
		require.NoError(s.T, retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			now, err := world.Core.CoreV1().Pods(pod.Namespace).Get(s.T.Context(), pod.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			return fail(s.T.Context(), now)
		}))
	}
}

func conditionOf(kind string) func(*gangs.Story, string) func() {
	return func(s *gangs.Story, node string) func() {
		set := func(ctx context.Context, status corev1.ConditionStatus) error {
			patch := fmt.Sprintf(`{"status": {"conditions": [{"type": %q, "status": %q, "reason": "DockerHung", "message": "task docker:7 blocked", "lastTransitionTime": %q}]}}`,
				kind, status, time.Now().UTC().Format(time.RFC3339))
			_, err := world.Core.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
			return err
		}
		require.NoError(s.T, set(s.T.Context(), corev1.ConditionTrue))
		return func() { _ = set(context.Background(), corev1.ConditionFalse) }
	}
}

func taintOf(key string) func(*gangs.Story, string) func() {
	return func(s *gangs.Story, node string) func() {
		set := func(ctx context.Context, taints ...corev1.Taint) error {
			return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
				n, err := world.Core.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
				if err != nil {
					return err
				}
				n.Spec.Taints = taints
				_, err = world.Core.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
				return err
			})
		}
		// PreferNoSchedule, so that it is not the taint that keeps the next Pod away.
		require.NoError(s.T, set(s.T.Context(), corev1.Taint{Key: key, Value: "yes", Effect: corev1.TaintEffectPreferNoSchedule}))
		return func() { _ = set(context.Background()) }
	}
}

// taintDevice lets a driver mark a device of the node as bad.
func taintDevice(s *gangs.Story, node string) func() {
	slices := world.Core.ResourceV1().ResourceSlices()
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "gpus-" + node}}
	slice.Spec.Driver, slice.Spec.NodeName = "gpu.example.com", &node
	slice.Spec.Pool = resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}
	slice.Spec.Devices = []resourcev1.Device{{Name: "gpu-0", Taints: []resourcev1.DeviceTaint{{Key: "example.com/xid", Value: "79", Effect: resourcev1.DeviceTaintEffectNoSchedule}}}}
	made, err := slices.Create(s.T.Context(), slice, metav1.CreateOptions{})
	require.NoError(s.T, err)
	if len(made.Spec.Devices[0].Taints) == 0 {
		s.T.Fatal("the API server drops taints of devices")
	}
	return func() { _ = slices.Delete(context.Background(), made.Name, metav1.DeleteOptions{}) }
}
