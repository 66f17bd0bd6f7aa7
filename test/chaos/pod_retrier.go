package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// podRetrier retries, as a kubelet does and simulated nodes do not. The API server may be killed during any request, and the simulator of
// the nodes gives up then.
type podRetrier struct {
	core    kubernetes.Interface
	figures *figures
	removed map[types.UID]bool      // their removal had begun at the last look
	moved   map[types.UID]time.Time // the last change that made the nodes look at them
	version map[types.UID]string
}

// overdue is how late any action of a node may be.
const overdue = 5 * time.Second

// work runs until ctx ends.
func (r *podRetrier) work(ctx context.Context) {
	r.removed, r.moved, r.version = map[types.UID]bool{}, map[types.UID]time.Time{}, map[types.UID]string{}
	for pause(ctx, time.Second) == nil {
		list, err := r.core.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		removed := map[types.UID]bool{}
		for i := range list.Items {
			p := &list.Items[i]
			if begun(p) {
				removed[p.UID] = true
				r.remove(ctx, p)
			}
			r.remind(ctx, p)
		}
		r.removed = removed
	}
}

// begun reports whether only the second step of a removal is missing. The API server removes in two steps, and a client that asks for both
// may be killed in between.
func begun(p *corev1.Pod) bool {
	return p.DeletionTimestamp != nil && p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds == 0 && len(p.Finalizers) == 0
}

// remove finishes a removal that is no nearer to its end than a while ago.
func (r *podRetrier) remove(ctx context.Context, p *corev1.Pod) {
	if r.removed[p.UID] {
		r.core.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64),
			Preconditions: metav1.NewUIDPreconditions(string(p.UID))})
	}
}

// remind changes a Pod that has waited for its node for too long, so that the node looks at it again.
func (r *podRetrier) remind(ctx context.Context, p *corev1.Pod) {
	if r.version[p.UID] != p.ResourceVersion {
		r.version[p.UID], r.moved[p.UID] = p.ResourceVersion, time.Now()
		return
	}
	wait, waits := waitsFor(p)
	if !waits || time.Since(r.moved[p.UID]) < wait+overdue {
		return
	}
	r.figures.count("nodes: reminded of a Pod")
	patch := fmt.Sprintf(`{"metadata": {"uid": %q, "annotations": {"chaos": %q}}}`, p.UID, time.Now())
	r.core.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
}

// waitsFor returns how long after its last change a Pod's node has to act, if it has to.
func waitsFor(p *corev1.Pod) (time.Duration, bool) {
	delay := func(name string) time.Duration {
		d, _ := time.ParseDuration(p.Annotations["simulate.frameworkcontroller.io/"+name])
		return d
	}
	_, ends := p.Annotations["simulate.frameworkcontroller.io/run-for"]
	switch {
	case p.DeletionTimestamp != nil:
		return delay("terminate-after"), true
	case p.Status.Phase == corev1.PodPending:
		return 0, p.Spec.NodeName != ""
	case p.Status.Phase == corev1.PodRunning:
		return delay("run-for"), ends && p.Spec.RestartPolicy != corev1.RestartPolicyAlways
	}
	return 0, false
}
