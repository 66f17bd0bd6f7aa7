package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// neighbours are the measurements beside a large Framework, which starts and whose Tasks keep ending and being retried: how long a small
// one takes to get its Pod.
type neighbours struct {
	Tasks   int       `json:"tasks"`   // of the large Framework
	Retried int       `json:"retried"` // its Pods that were made to end meanwhile
	Floor   []seconds `json:"floor"`   // the same number of requests one after the other, by a client with nothing else to do
	Product []seconds `json:"product"` // in pairs with the floor
}

const (
	smallOnes = 20
	// delayTarget is how much longer than the slowest of the floor the slowest may take, in seconds.
	delayTarget = 2.0
	largeName   = "large"
)

// measureFairness has small Frameworks started one after the other beside a large one.
func (b *bench) measureFairness(ctx context.Context, r *report) error {
	return b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, _ *controller, f *frameworks) error {
		return b.besideLarge(ctx, f, r)
	})
}

func (b *bench) besideLarge(ctx context.Context, f *frameworks, r *report) error {
	large := framework(largeName, largeTasks)
	large.Spec.TaskRoles[0].Task.RetryPolicy.MaxRetryCount = -2
	if err := f.create(ctx, large); err != nil {
		return err
	}
	churning, stop := context.WithCancel(ctx)
	var churn sync.WaitGroup
	n := &neighbours{Tasks: largeTasks}
	churn.Go(func() { n.Retried = b.churn(churning) })
	small, err := b.smallOnes(ctx, f, n)
	stop()
	churn.Wait()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "small Frameworks beside %d Tasks  bare requests: %.2f s  Frameworks: %.2f s\n", n.Tasks, n.Floor, n.Product)
	r.Neighbours = n
	return b.clear(ctx, f, append(small, large))
}

// churn makes running Pods of the large Framework succeed, which are retried, until ctx ends. It returns how many.
func (b *bench) churn(ctx context.Context) (n int) {
	for ctx.Err() == nil {
		var some []*corev1.Pod
		for _, pod := range b.pods.list() {
			if pod.Status.Phase == corev1.PodRunning && pod.Labels[v1.KeyFrameworkName] == largeName && len(some) < inFlight {
				some = append(some, pod)
			}
		}
		if each(ctx, some, b.bare.succeed) == nil {
			n += len(some)
		}
		sleep(ctx, 50*time.Millisecond)
	}
	return n
}

// smallOnes lets bare requests and Frameworks take turns, and returns the Frameworks.
func (b *bench) smallOnes(ctx context.Context, f *frameworks, n *neighbours) (all []*v1.Framework, err error) {
	bare, err := work{frameworks: 1, tasks: smallOnes}.barePods()
	if err != nil {
		return nil, err
	}
	for i := range smallOnes {
		floor, err := b.timed(ctx, bare[i].Name, func() error { return b.bareStart(ctx, bare[i]) })
		if err != nil {
			return all, err
		}
		one := framework(fmt.Sprintf("small%d", i), 1)
		all = append(all, one)
		product, err := b.timed(ctx, v1.PodName(one.Name, role, 0), func() error { return f.create(ctx, one) })
		if err != nil {
			return all, err
		}
		n.Floor, n.Product = append(n.Floor, floor), append(n.Product, product)
		if err := b.bareClear(ctx, bare[i]); err != nil {
			return all, err
		}
		sleep(ctx, time.Second)
	}
	return all, nil
}

// timed returns how long it takes from the begin of start until a watch shows the Pod.
func (b *bench) timed(ctx context.Context, pod string, start func() error) (seconds, error) {
	begin := time.Now()
	if err := start(); err != nil {
		return 0, err
	}
	err := wait.PollUntilContextCancel(ctx, 2*time.Millisecond, true, func(context.Context) (bool, error) {
		_, there, err := b.pods.informer.GetStore().GetByKey(namespace + "/" + pod)
		return there, err
	})
	return since(begin), err
}

// bareStart makes as many requests as the start of a Framework takes, of similar kinds: it is created, read, and its
// status written; its ConfigMap is created, its status written, and its Pod created.
func (b *bench) bareStart(ctx context.Context, pod *corev1.Pod) error {
	framework, attempt := bareConfigMaps(pod)
	return inOrder(
		func() error { return b.bare.createConfigMap(ctx, framework) },
		func() error { return b.bare.getConfigMap(ctx, framework) },
		func() error { return b.bare.updateConfigMap(ctx, framework) },
		func() error { return b.bare.createConfigMap(ctx, attempt) },
		func() error { return b.bare.updateConfigMap(ctx, framework) },
		func() error { return b.bare.create(ctx, pod) },
	)
}

func (b *bench) bareClear(ctx context.Context, pod *corev1.Pod) error {
	framework, attempt := bareConfigMaps(pod)
	return inOrder(
		func() error { return b.bare.deleteConfigMap(ctx, framework) },
		func() error { return b.bare.deleteConfigMap(ctx, attempt) },
		func() error { return b.bare.delete(ctx, pod) },
	)
}

// bareConfigMaps represent a Pod's Framework and its attempt.
func bareConfigMaps(pod *corev1.Pod) (framework, attempt *corev1.ConfigMap) {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: pod.Name + "-framework"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: pod.Name + "-attempt"}}
}

// addNeighbours adds its rows.
func (r *report) addNeighbours() {
	n := r.Neighbours
	if n == nil {
		return
	}
	name := fmt.Sprintf("small Frameworks beside %d churning Tasks: ", n.Tasks)
	r.Rows = append(r.Rows,
		compare(name+"apply -> Pod created", n.Floor, n.Product, func(s seconds) float64 { return float64(s) }),
		// Not the longest of the differences: the two of a pair see different moments of a busy machine.
		absolute(name+"the slowest, less the slowest of the floor", "s", float64(slices.Max(n.Product)-slices.Max(n.Floor))).within(delayTarget))
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
