package main

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod is a Pod of the scheduler.
type pod struct{ *corev1.Pod }

// podsFor lists the scheduler's Pods in the order of their creation.
func (c clients) podsFor(ctx context.Context, schedulerName string) ([]pod, error) {
	list, err := c.core.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.schedulerName=" + schedulerName})
	if err != nil {
		return nil, err
	}
	var out []pod
	for i := range list.Items {
		out = append(out, pod{&list.Items[i]})
	}
	slices.SortStableFunc(out, func(a, b pod) int { // within a second, in the order of their names
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

func (p pod) hasEnded() bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// isThere: it has a node, and takes room on it.
func (p pod) isThere() bool { return p.Spec.NodeName != "" && !p.hasEnded() }

// isWaiting: it needs a node.
func (p pod) isWaiting() bool {
	return p.Spec.NodeName == "" && !p.hasEnded() && p.DeletionTimestamp == nil
}

// cpu is its CPU request, in thousandths.
func (p pod) cpu() int64 {
	var sum int64
	for _, c := range p.Spec.Containers {
		sum += c.Resources.Requests.Cpu().MilliValue()
	}
	return sum
}
