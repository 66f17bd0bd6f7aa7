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

// retryRuns are how long it takes until failed Pods have successors: all of a Framework that fail at once, and bare Pods in
// their place; and single ones of it.
type retryRuns struct {
	Tasks   int       `json:"tasks"`
	Floor   []seconds `json:"floor"`   // until as many new Pods run; a bare client deletes the failed ones, and creates others
	Product []seconds `json:"product"` // in pairs with the floor
	Single  []seconds `json:"single"`  // from the request that fails one Pod until a watch shows its successor
}

const (
	retriedTasks  = 1000
	singleRetries = 100

	retryTarget         = 1.25
	singleRetryTarget   = 0.030 // seconds, the median
	singleRetryTarget99 = 0.150 // seconds, of 99 %
)

// measureRetries lets both sides take turns, and then fails Pods one by one.
func (b *bench) measureRetries(ctx context.Context, r *report) error {
	return b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, _ *controller, f *frameworks) error {
		runs := &retryRuns{Tasks: retriedTasks}
		for range min(b.options.rounds, 3) {
			floor, err := b.bareRetries(ctx)
			if err != nil {
				return err
			}
			product, single, err := b.retries(ctx, f)
			if err != nil {
				return err
			}
			runs.Floor, runs.Product, runs.Single = append(runs.Floor, floor), append(runs.Product, product), append(runs.Single, single...)
		}
		fmt.Fprintf(os.Stderr, "%d failed Pods replaced  bare: %.2f s  Framework: %.2f s  one by one: %.3f s in the middle, %.3f s at most\n",
			runs.Tasks, runs.Floor, runs.Product, percentile(runs.Single, 50), percentile(runs.Single, 100))
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

// retries also fails single Pods, shared out over the rounds.
func (b *bench) retries(ctx context.Context, f *frameworks) (all seconds, single []seconds, err error) {
	one := framework("retried", retriedTasks)
	one.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = v1.RetryOnFailure
	return all, single, inOrder(
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
			all = since(start)
			return err
		},
		func() error { return settle(ctx, b.cluster) },
		func() error {
			var err error
			single, err = b.singleRetries(ctx, singleRetries/min(b.options.rounds, 3)+1)
			return err
		},
		func() error { return b.clear(ctx, f, []*v1.Framework{one}) },
	)
}

// singleRetries fails so many Pods, each when all run again.
func (b *bench) singleRetries(ctx context.Context, n int) (took []seconds, err error) {
	for i := range n {
		sleep(ctx, 200*time.Millisecond)
		pod := b.pods.list()[i%retriedTasks]
		start := time.Now()
		err := inOrder(
			func() error { return b.bare.fail(ctx, pod) },
			func() error {
				return b.awaitPod(ctx, pod, func(now *corev1.Pod) bool { return now != nil && now.UID != pod.UID })
			},
		)
		if err != nil {
			return took, err
		}
		took = append(took, since(start))
		if err := b.pods.awaitRunning(ctx, retriedTasks); err != nil {
			return took, err
		}
	}
	return took, nil
}

func (b *bench) awaitGone(ctx context.Context, pod *corev1.Pod) error {
	return b.awaitPod(ctx, pod, func(now *corev1.Pod) bool { return now == nil })
}

// awaitPod waits until the Pod that has the name of another one now is as wanted; nil stands for none.
func (b *bench) awaitPod(ctx context.Context, pod *corev1.Pod, wanted func(*corev1.Pod) bool) error {
	return wait.PollUntilContextCancel(ctx, time.Millisecond, true, func(context.Context) (bool, error) {
		o, there, err := b.pods.informer.GetStore().GetByKey(namespace + "/" + pod.Name)
		if err != nil || !there {
			return wanted(nil), err
		}
		return wanted(o.(*corev1.Pod)), nil
	})
}

// awaitSuccessors returns once as many Pods run as have failed, and none of them is one of those.
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

// addRetries makes rows of it.
func (r *report) addRetries() {
	runs := r.Retries
	if runs == nil {
		return
	}
	same := func(s seconds) float64 { return float64(s) }
	single := func(percent int) float64 { return 1000 * float64(percentile(runs.Single, percent)) }
	name := fmt.Sprintf("one Pod of %d fails -> its successor is created, ", runs.Tasks)
	r.Rows = append(r.Rows,
		compare(fmt.Sprintf("all %d Pods of a Framework fail at once -> as many new ones run", runs.Tasks), runs.Floor, runs.Product, same).within(retryTarget),
		absolute(name+"median", "ms", single(50)).within(1000*singleRetryTarget),
		absolute(name+"99th percentile", "ms", single(99)).within(1000*singleRetryTarget99))
}
