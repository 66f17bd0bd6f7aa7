package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Most updates of a Pod change nothing that is looked at, and are no news.
func TestTellsMore(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(p *corev1.Pod)
		want   bool
	}{
		"nothing":     {func(p *corev1.Pod) {}, false},
		"version":     {func(p *corev1.Pod) { p.ResourceVersion = "8" }, false},
		"label":       {func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, false},
		"condition":   {func(p *corev1.Pod) { p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady}} }, false},
		"node":        {func(p *corev1.Pod) { p.Spec.NodeName = "node" }, true},
		"address":     {func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.1" }, true},
		"phase":       {func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, true},
		"termination": {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, true},
		"result": {func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodFailed
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main"}}
		}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a-w-0", ResourceVersion: "7"}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
			after := before.DeepCopy()
			test.change(after)
			if got := tellsMore(&cachedPod{Pod: before}, &cachedPod{Pod: *after}); got != test.want {
				t.Errorf("tellsMore is %v, want %v", got, test.want)
			}
		})
	}
}
