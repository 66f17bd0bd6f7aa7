package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// spot is the node that is removed now and then, as a spot instance is. Its taint has the same name in it, and only Pods of
// Frameworks that are prone tolerate that.
const (
	spot      = "spot"
	spotTaint = "example.com/spot"
)

// addSpot makes the node like another one.
func addSpot(ctx context.Context, core kubernetes.Interface) error {
	return insist(ctx, func() error {
		other, err := core.CoreV1().Nodes().Get(ctx, "node-0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: spot, Labels: other.Labels}, Status: other.Status}
		node.Labels[corev1.LabelHostname] = spot
		node.Status.Conditions = nil
		node.Spec.Taints = []corev1.Taint{{Key: spotTaint, Effect: corev1.TaintEffectNoSchedule}}
		_, err = core.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		return ignoring(err, apierrors.IsAlreadyExists)
	})
}

// tolerant lets the Pods of a Framework run on the node that is removed.
func (p plan) tolerant() plan {
	const at = `"restartPolicy":"Never"`
	tolerate := func(json string) string {
		return strings.ReplaceAll(json, at, at+`,"tolerations":[{"key":"`+spotTaint+`","operator":"Exists"}]`)
	}
	p.spec = tolerate(mustJSON(p.spec))
	for n := range p.steps {
		p.steps[n].patch = tolerate(p.steps[n].patch)
	}
	return p
}

// removeNode removes the node once something runs on it, and makes it again when nothing is bound to it any longer: the garbage
// collector of Pods has deleted that by then. If the faults end before, the node is back with its Pods.
func (i *injector) removeNode(ctx context.Context, _ *rand.Rand) error {
	seen := map[types.UID]bool{}
	bound := func() (int, error) { return i.boundToSpot(ctx, func(*corev1.Pod) {}) }
	for n, err := bound(); n == 0 || err != nil; n, err = bound() {
		if pause(ctx, time.Second) != nil {
			return nil
		}
	}
	err := insist(ctx, func() error {
		return ignoring(i.core.CoreV1().Nodes().Delete(ctx, spot, metav1.DeleteOptions{}), apierrors.IsNotFound)
	})
	if err == nil {
		i.figures.count("nodes: removed")
		err = insist(ctx, func() error { return i.awaitCollection(ctx, seen) })
	}
	if err == nil {
		i.figures.count("nodes: made again when empty")
	}
	afterwards, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := addSpot(afterwards, i.core); err != nil {
		return fmt.Errorf("making node %s again: %w", spot, err)
	}
	return nil
}

// awaitCollection returns an error as long as a Pod is bound to the node. Each Pod counts as taken once, also one that would have
// ended anyway.
func (i *injector) awaitCollection(ctx context.Context, seen map[types.UID]bool) error {
	n, err := i.boundToSpot(ctx, func(p *corev1.Pod) {
		if !seen[p.UID] {
			seen[p.UID] = true
			i.note("deletions: Pod with its node", p, nil)
		}
	})
	if err == nil && n > 0 {
		err = errors.New("there are still Pods")
	}
	return err
}

// boundToSpot returns the number of Pods that are bound to the node.
func (i *injector) boundToSpot(ctx context.Context, each func(*corev1.Pod)) (int, error) {
	list, err := i.core.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + spot})
	if err != nil {
		return 0, err
	}
	for n := range list.Items {
		each(&list.Items[n])
	}
	return len(list.Items), nil
}
