package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bind gives a Pod its node, and annotations with it.
func (c clients) bind(ctx context.Context, p pod, node string, annotations map[string]string) error {
	return unlessChanged(c.core.CoreV1().Pods(p.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Annotations: annotations},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{}))
}

// tell writes into the Pod why it has no node. The usual reason is Unschedulable.
func (c clients) tell(ctx context.Context, p pod, reason, words string) error {
	said := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: words, LastTransitionTime: metav1.Now()}
	changed := p.DeepCopy()
	for i, before := range changed.Status.Conditions {
		if before.Type != said.Type {
			continue
		}
		if before.Status == said.Status && before.Reason == reason && before.Message == words {
			return nil
		}
		if before.Status == said.Status {
			said.LastTransitionTime = before.LastTransitionTime
		}
		changed.Status.Conditions[i] = said
		return c.writeStatus(ctx, changed)
	}
	changed.Status.Conditions = append(changed.Status.Conditions, said)
	return c.writeStatus(ctx, changed)
}

// fail ends a Pod that has never run.
func (c clients) fail(ctx context.Context, p pod, reason, words string) error {
	changed := p.DeepCopy()
	changed.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: reason, Message: words}
	return c.writeStatus(ctx, changed)
}

func (c clients) writeStatus(ctx context.Context, p *corev1.Pod) error {
	_, err := c.core.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{})
	return unlessChanged(err)
}

// unlessChanged leaves out that something has changed meanwhile: the next pass sees it.
func unlessChanged(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
