package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// retryRuns are how long it takes until Pods that fail at once have successors that run: all of a Framework, and bare ones in
// their place.
type retryRuns struct {
	Tasks   int       `json:"tasks"`
	Floor   []seconds `json:"floor"`   // a bare client deletes the failed Pods, and creates others
	Product []seconds `json:"product"` // in pairs with the floor
}

const (
	retriedTasks = 1000
	retryTarget  = 1.25
)

// measureRetries lets both sides take turns.
func (b *bench) measureRetries(ctx context.Context, r *report) error {
	return b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, _ *controller, f *frameworks) error {
		runs := &retryRuns{Tasks: retriedTasks}
		for range min(b.options.rounds, 3) {
			floor, err := b.bareRetries(ctx)
			if err != nil {
				return err
			}
			product, err := b.retries(ctx, f)
			if err != nil {
				return err
			}
			runs.Floor, runs.Product = append(runs.Floor, floor), append(runs.Product, product)
		}
		fmt.Fprintf(os.Stderr, "%d failed Pods replaced  bare: %.2f s  Framework: %.2f s\n", runs.Tasks, runs.Floor, runs.Product)
		r.Retries = runs
		return nil
	})
}

func (b *bench) bareRetries(ctx context.Context) (took seconds, err error) {
	made, err := work{frameworks: 1, tasks: retriedTasks}.barePods()
	if err != nil {
		return 0, err
	}
	recreate := func(ctx context.Context, pod *corev1.Pod) error {
		if err := b.awaitGone(ctx, pod); err != nil {
			return err
		}
		return b.bare.create(ctx, pod)
	}
	return took, inOrder(
		func() error { return each(ctx, made, b.bare.create) },
		func() error { return b.pods.awaitRunning(ctx, retriedTasks) },
		func() error { return settle(ctx, b.cluster) },
		func() error {
			failed := b.pods.list()
			start := time.Now()
			err := inOrder(
				func() error { return each(ctx, failed, b.bare.fail) },
				func() error { return each(ctx, made, b.bare.delete) },
				func() error { return each(ctx, made, recreate) },
				func() error { return b.awaitSuccessors(ctx, failed) },
			)
			took = since(start)
			return err
		},
		func() error { return each(ctx, b.pods.list(), b.bare.delete) },
		func() error { return b.pods.awaitPresent(ctx, 0) },
	)
}

func (b *bench) retries(ctx context.Context, f *frameworks) (took seconds, err error) {
	one := retried()
	return took, inOrder(
		func() error { return f.create(ctx, one) },
		func() error { return b.pods.awaitRunning(ctx, retriedTasks) },
		func() error { return settle(ctx, b.cluster) },
		func() error {
			failed := b.pods.list()
			start := time.Now()
			err := inOrder(
				func() error { return each(ctx, failed, b.bare.fail) },
				func() error { return b.awaitSuccessors(ctx, failed) },
			)
			took = since(start)
			return err
		},
		func() error { return b.clear(ctx, f, []*v1.Framework{one}) },
	)
}

// retried is a Framework whose Tasks start again whenever they fail.
func retried() *v1.Framework {
	f := framework("retried", retriedTasks)
	f.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = v1.RetryOnFailure
	return f
}

func (b *bench) awaitGone(ctx context.Context, pod *corev1.Pod) error {
	return b.awaitPod(ctx, pod, func(now *corev1.Pod) bool { return now == nil })
}

// awaitPod waits until the Pod that now has the name of another one is as wanted; it is nil if there is none.
func (b *bench) awaitPod(ctx context.Context, pod *corev1.Pod, wanted func(*corev1.Pod) bool) error {
	return wait.PollUntilContextCancel(ctx, time.Millisecond, true, func(context.Context) (bool, error) {
		o, there, err := b.pods.informer.GetStore().GetByKey(namespace + "/" + pod.Name)
		if err != nil || !there {
			return wanted(nil), err
		}
		return wanted(o.(*corev1.Pod)), nil
	})
}

// awaitSuccessors returns once as many Pods run as have failed, none of them a failed one.
func (b *bench) awaitSuccessors(ctx context.Context, failed []*corev1.Pod) error {
	old := make(map[types.UID]bool, len(failed))
	for _, pod := range failed {
		old[pod.UID] = true
	}
	return wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		if b.pods.board.get().running != len(failed) {
			return false, nil
		}
		for _, pod := range b.pods.list() {
			if old[pod.UID] {
				return false, nil
			}
		}
		return true, nil
	})
}

// addRetries adds its row.
func (r *report) addRetries() {
	if runs := r.Retries; runs != nil {
		r.Rows = append(r.Rows, compare(fmt.Sprintf("all %d Pods of a Framework fail at once -> as many new ones run", runs.Tasks),
			runs.Floor, runs.Product, func(s seconds) float64 { return float64(s) }).within(retryTarget))
	}
}
