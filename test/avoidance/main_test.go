package avoidance

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// pools are the nodes that tests have, by number. The first of each is bad.
var pools = map[string][]int{"one": {0}, "two": {1, 2}, "ten": {3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, "plugin": {13, 14, 15}}

var world *gangs.World

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if world, err = gangs.Start(ctx, s, cluster.Options{Nodes: 16}); err != nil {
		return err
	}
	for pool, nodes := range pools {
		for _, i := range nodes {
			if err := label(ctx, nodeName(i), pool); err != nil {
				return err
			}
		}
	}
	for _, pool := range []string{"one", "two", "ten"} {
		go killAll(ctx, nodeName(pools[pool][0]))
	}
	return world.StartController(ctx, fmt.Sprintf(`- {name: nodes, kind: FailureClassifier, command: classifier-nodes,
  parameters: {kubeconfig: %q, taints: [example.com/broken], avoid: {mode: Require, seconds: 600}}}`, world.Kube.Kubeconfig))
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

func label(ctx context.Context, node, pool string) error {
	patch := fmt.Sprintf(`{"metadata": {"labels": {"pool": %q}}}`, pool)
	_, err := world.Core.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// killAll fails every Pod that runs on a node, as a node with a broken device would, until the context ends.
func killAll(ctx context.Context, node string) {
	factory := informers.NewSharedInformerFactoryWithOptions(world.Core, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = "spec.nodeName=" + node
	}))
	kill := func(o any) {
		if pod, ok := o.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodRunning {
			_ = fail(ctx, pod) // it changes again, or is deleted
		}
	}
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: kill, UpdateFunc: func(_, o any) { kill(o) },
	})
	factory.Start(ctx.Done())
}

// fail ends a Pod with exit code 7.
func fail(ctx context.Context, pod *corev1.Pod) error {
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodFailed
	for i := range pod.Status.ContainerStatuses {
		c := &pod.Status.ContainerStatuses[i]
		began := metav1.NewTime(time.Now().Add(-time.Second))
		if c.State.Running != nil {
			began = c.State.Running.StartedAt
		}
		c.Ready, c.State = false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 7, Reason: "Error", StartedAt: began, FinishedAt: metav1.Now(),
		}}
	}
	_, err := world.Core.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
