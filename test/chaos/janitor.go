package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// finishDeletions does what a kubelet does and simulated nodes leave out, until ctx ends: it removes Pods whose
// removal was begun and broken off. The API server removes in two steps, and whoever asks for both may be killed in
// between.
func finishDeletions(ctx context.Context, core kubernetes.Interface) {
	last := map[types.UID]bool{}
	for pause(ctx, time.Second) == nil {
		list, err := core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		now := map[types.UID]bool{}
		for _, p := range list.Items {
			begun := p.DeletionTimestamp != nil && p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds == 0
			if !begun || len(p.Finalizers) > 0 {
				continue
			}
			if now[p.UID] = true; last[p.UID] {
				core.CoreV1().Pods(namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64),
					Preconditions: metav1.NewUIDPreconditions(string(p.UID))})
			}
		}
		last = now
	}
}
