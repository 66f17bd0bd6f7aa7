package browser

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// badNode breaks Pods, as a node with faulty memory does: a share of the Pods that run there end by a signal. They are Pods as on any other node, whose
// program succeeds there.
type badNode struct {
	core      kubernetes.Interface
	name      string
	namespace string
	// share of the Pods, from 0 to 1.
	share  float64
	broken atomic.Int64
}

// work breaks Pods until ctx ends.
func (b *badNode) work(ctx context.Context) {
	chance, seen := rand.New(rand.NewPCG(1, 3)), map[string]bool{}
	for ctx.Err() == nil {
		w, err := b.core.CoreV1().Pods(b.namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + b.name})
		if err != nil {
			continue // the API server is busy, or ctx has ended
		}
		for e := range w.ResultChan() {
			pod, ok := e.Object.(*corev1.Pod)
			if !ok || pod.Status.Phase != corev1.PodRunning || seen[string(pod.UID)] {
				continue
			}
			seen[string(pod.UID)] = true
			if chance.Float64() < b.share && b.breakPod(ctx, pod) == nil {
				b.broken.Add(1)
			}
		}
		w.Stop()
	}
}

// breakPod fails if the Pod has ended, or has changed otherwise, in the meantime.
func (b *badNode) breakPod(ctx context.Context, pod *corev1.Pod) error {
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodFailed
	for i := range pod.Status.ContainerStatuses {
		c, now := &pod.Status.ContainerStatuses[i], metav1.Now()
		started := now
		if c.State.Running != nil {
			started = c.State.Running.StartedAt
		}
		c.Ready, c.Started = false, new(false)
		c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 139, Signal: 11, Reason: "Error", StartedAt: started, FinishedAt: now}}
	}
	_, err := b.core.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
