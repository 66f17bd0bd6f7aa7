package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// singleRetryRuns are how long it takes from the request that fails one Pod of a Framework until a watch shows its successor.
type singleRetryRuns struct {
	Tasks   int       `json:"tasks"`
	Product []seconds `json:"product"`
	Least   []seconds `json:"least"` // the requests that every controller has to make, with statuses of the same size
}

const (
	singleRetries = 100

	singleRetryTarget   = 0.030 // seconds, the median
	singleRetryTarget99 = 0.150 // seconds, of 99 %
)

// measureSingleRetries measures the least requests with statuses as the product has stored them.
func (b *bench) measureSingleRetries(ctx context.Context, r *report) error {
	runs := &singleRetryRuns{Tasks: retriedTasks}
	var stored *v1.FrameworkStatus
	err := inOrder(
		func() (err error) { runs.Product, stored, err = b.singleRetries(ctx); return err },
		func() (err error) { runs.Least, err = b.leastRetries(ctx, stored); return err },
	)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d single retries  least requests: %.3f s  Framework: %.3f s  (medians)\n",
		singleRetries, percentile(runs.Least, 50), percentile(runs.Product, 50))
	r.SingleRetries = runs
	return nil
}

// singleRetries fails Pods of a Framework one by one, each when all run again, and returns its status of the end, too.
func (b *bench) singleRetries(ctx context.Context) (took []seconds, stored *v1.FrameworkStatus, err error) {
	err = b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, _ *controller, f *frameworks) error {
		one := retried()
		return inOrder(
			func() error { return f.create(ctx, one) },
			func() error { return b.pods.awaitRunning(ctx, retriedTasks) },
			func() error { return settle(ctx, b.cluster) },
			func() (err error) { took, err = b.oneByOne(ctx, retriedTasks, b.bare.fail); return err },
			func() error { return settle(ctx, b.cluster) },
			func() error {
				last, err := f.client.FrameworkControllerV1().Frameworks(namespace).Get(ctx, one.Name, metav1.GetOptions{})
				stored = last.Status
				return err
			},
			func() error { return b.clear(ctx, f, []*v1.Framework{one}) },
		)
	})
	return took, stored, err
}

// oneByOne calls fail for one of `pods` Pods at a time, each when all run again. It returns the times from each call until a watch showed
// the Pod's successor.
func (b *bench) oneByOne(ctx context.Context, pods int, fail func(context.Context, *corev1.Pod) error) (took []seconds, err error) {
	for i := range singleRetries {
		sleep(ctx, 200*time.Millisecond)
		pod := b.pods.list()[i%pods]
		start := time.Now()
		err := inOrder(
			func() error { return fail(ctx, pod) },
			func() error {
				return b.awaitPod(ctx, pod, func(now *corev1.Pod) bool { return now != nil && now.UID != pod.UID })
			},
		)
		if err != nil {
			return took, err
		}
		took = append(took, since(start))
		if err := b.pods.awaitRunning(ctx, pods); err != nil {
			return took, err
		}
	}
	return took, nil
}

// leastRetries has failed Pods replaced by the requests that every controller has to make, one after the other. The status is
// stored before the deletion, before the next attempt, and before its Pod (decisions, "Three writes for a retry").
func (b *bench) leastRetries(ctx context.Context, status *v1.FrameworkStatus) (took []seconds, err error) {
	f, err := newFrameworks(b.cluster.Config)
	if err != nil {
		return nil, err
	}
	made, err := work{frameworks: 1, tasks: 100}.barePods()
	if err != nil {
		return nil, err
	}
	l := &leastRetry{bench: b, frameworks: f, status: status, made: map[string]*corev1.Pod{}}
	for _, pod := range made {
		l.made[pod.Name] = pod
	}
	return took, inOrder(
		func() error { return l.create(ctx) },
		func() error { return each(ctx, made, b.bare.create) },
		func() error { return b.pods.awaitRunning(ctx, len(made)) },
		func() error { return settle(ctx, b.cluster) },
		func() (err error) { took, err = b.oneByOne(ctx, len(made), l.replace); return err },
		func() error { return each(ctx, b.pods.list(), b.bare.delete) },
		func() error { return b.clear(ctx, f, []*v1.Framework{l.framework}) },
	)
}

// leastRetry imitates a Framework, with bare Pods by their names.
type leastRetry struct {
	*bench
	frameworks *frameworks
	framework  *v1.Framework
	status     *v1.FrameworkStatus
	version    string // resourceVersion of the object, as last stored
	writes     int
	made       map[string]*corev1.Pod
}

func (l *leastRetry) create(ctx context.Context) (err error) {
	l.framework, err = l.frameworks.client.FrameworkControllerV1().Frameworks(namespace).Create(ctx, framework("least", retriedTasks), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	l.version = l.framework.ResourceVersion
	return l.store(ctx)
}

func (l *leastRetry) store(ctx context.Context) (err error) {
	l.writes++
	l.version, err = l.frameworks.store(ctx, l.framework, l.status, l.version, l.writes)
	return err
}

// replace fails a Pod, and makes the requests that every controller has to make.
func (l *leastRetry) replace(ctx context.Context, pod *corev1.Pod) error {
	failed := func(now *corev1.Pod) bool { return now != nil && now.Status.Phase == corev1.PodFailed }
	store := func() error { return l.store(ctx) }
	return inOrder(
		func() error { return l.bare.fail(ctx, pod) },
		func() error { return l.awaitPod(ctx, pod, failed) },
		store,
		func() error { return l.bare.delete(ctx, pod) },
		func() error { return l.awaitGone(ctx, pod) },
		store,
		store,
		func() error { return l.bare.create(ctx, l.made[pod.Name]) },
	)
}

// addSingleRetries adds their rows. The limits are absolute; the least requests show how near to them a controller can come.
func (r *report) addSingleRetries() {
	runs := r.SingleRetries
	if runs == nil {
		return
	}
	for _, limit := range []struct {
		name    string
		percent int
		target  float64
	}{{"median", 50, singleRetryTarget}, {"99th percentile", 99, singleRetryTarget99}} {
		name := fmt.Sprintf("one Pod of %d fails -> its successor is created, %s", runs.Tasks, limit.name)
		ms := func(all []seconds) float64 { return 1000 * float64(percentile(all, limit.percent)) }
		r.Rows = append(r.Rows,
			absolute(name, "ms", ms(runs.Product)).within(1000*limit.target),
			absolute(name+", by the least requests", "ms", ms(runs.Least)))
	}
}
