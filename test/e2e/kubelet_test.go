package e2e

import (
	"context"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// endPod ends a running Pod as a kubelet does when its containers exit with that code.
func (s *story) endPod(name string, code int32) {
	s.t.Helper()
	s.writePodStatus(name, func(status *corev1.PodStatus) {
		reason := "Completed"
		status.Phase = corev1.PodSucceeded
		if code != 0 {
			reason, status.Phase = "Error", corev1.PodFailed
		}
		for i := range status.ContainerStatuses {
			c := &status.ContainerStatuses[i]
			c.Ready = false
			c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: code, Reason: reason, StartedAt: c.State.Running.StartedAt, FinishedAt: metav1.Now(),
			}}
		}
	})
}

// failPod ends a running Pod as a kubelet does when it has a reason of its own, such as Evicted.
func (s *story) failPod(name, reason string) {
	s.t.Helper()
	s.writePodStatus(name, func(status *corev1.PodStatus) {
		status.Phase, status.Reason = corev1.PodFailed, reason
	})
}

// hinderPod lets the node of a held Pod (stages.yaml) report why it cannot start the containers.
func (s *story) hinderPod(name, reason, message string) {
	s.t.Helper()
	s.writePodStatusOnce(name, "on a node", hasNode, func(status *corev1.PodStatus) {
		began := metav1.NewTime(time.Now().Add(-10 * time.Second))
		status.StartTime = &began
		status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", Image: "app",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
	})
}

func hasNode(p *corev1.Pod) bool { return p.Spec.NodeName != "" }

// unholdPod lets a Pod that was held start.
func (s *story) unholdPod(name string) {
	s.t.Helper()
	s.patchPod(name, `{"metadata":{"annotations":{"simulate.frameworkcontroller.io/hold":null}}}`)
}

func (s *story) writePodStatus(name string, change func(*corev1.PodStatus)) {
	s.t.Helper()
	s.writePodStatusOnce(name, "running", isRunning, change)
}

func (s *story) writePodStatusOnce(name, wanted string, is func(*corev1.Pod) bool, change func(*corev1.PodStatus)) {
	s.t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod := until(s, thePods, name, wanted, is).DeepCopy()
		change(&pod.Status)
		_, err := s.pods.UpdateStatus(s.t.Context(), pod, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		s.t.Fatalf("writing the status of Pod %s: %v", name, err)
	}
}

func isRunning(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil
}

// deletions are the Pods whose removal has begun and is not finished, as seen by a watch. Listing all Pods again and again instead would
// keep the API server busy when there are many.
type deletions struct {
	mu   sync.Mutex
	pods map[types.UID]types.NamespacedName
}

func (d *deletions) note(p *corev1.Pod, gone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if gone || !isHalfDeleted(p) {
		delete(d.pods, p.UID)
		return
	}
	d.pods[p.UID] = types.NamespacedName{Namespace: p.Namespace, Name: p.Name}
}

// isHalfDeleted: nothing keeps the Pod, and it exists nevertheless.
func isHalfDeleted(p *corev1.Pod) bool {
	grace := p.DeletionGracePeriodSeconds
	return p.DeletionTimestamp != nil && grace != nil && *grace == 0 && len(p.Finalizers) == 0
}

func (d *deletions) begun() map[types.UID]types.NamespacedName {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.pods)
}

// finish removes, until ctx ends, Pods whose removal was begun and aborted, which simulated nodes do not. The API server removes a Pod in
// two steps if it need not wait for its containers, and gives up after the first one if the client has just been killed. Only a kubelet
// would repeat the request.
func (d *deletions) finish(ctx context.Context) {
	var last map[types.UID]types.NamespacedName
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		now := d.begun()
		for uid, pod := range now {
			if _, stuck := last[uid]; stuck {
				core.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
					GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &uid}})
			}
		}
		last = now
	}, time.Second)
}
