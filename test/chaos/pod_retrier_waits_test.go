package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The podRetrier knows what nodes have to do, and when.
func TestWaitsFor(t *testing.T) {
	pod := func(phase corev1.PodPhase, node string, deleted bool, says ...string) *corev1.Pod {
		p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{Phase: phase}}
		p.Annotations = map[string]string{}
		for i := 0; i < len(says); i += 2 {
			p.Annotations["simulate.frameworkcontroller.io/"+says[i]] = says[i+1]
		}
		if deleted {
			p.DeletionTimestamp = &metav1.Time{}
		}
		return p
	}
	tests := map[string]struct {
		pod   *corev1.Pod
		wait  time.Duration
		waits bool
	}{
		"not scheduled":   {pod(corev1.PodPending, "", false), 0, false},
		"to be started":   {pod(corev1.PodPending, "n", false), 0, true},
		"runs for ever":   {pod(corev1.PodRunning, "n", false), 0, false},
		"runs for a time": {pod(corev1.PodRunning, "n", false, "run-for", "3s"), 3 * time.Second, true},
		"has ended":       {pod(corev1.PodSucceeded, "n", false, "run-for", "3s"), 0, false},
		"to be removed":   {pod(corev1.PodFailed, "n", true, "terminate-after", "1s"), time.Second, true},
	}
	for name, tt := range tests {
		if wait, waits := waitsFor(tt.pod); wait != tt.wait || waits != tt.waits {
			t.Errorf("%s: got %s, %t", name, wait, waits)
		}
	}
}
