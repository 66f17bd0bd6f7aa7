package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// pods shows all Pods of the namespace, by a watch.
type pods struct {
	informer cache.SharedIndexInformer
	stop     func()
	board    board[podCounts]
}

// podCounts are the numbers of existing and of running Pods.
type podCounts struct{ present, running int }

func (c *podCounts) count(o any, n int) {
	c.present += n
	if pod, ok := o.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodRunning {
		c.running += n
	}
}

// watchPods follows them until stop is called, or ctx ends.
func watchPods(ctx context.Context, c *rest.Config) (*pods, error) {
	client, err := kubernetes.NewForConfig(protobuf(c))
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	p := &pods{informer: factory.Core().V1().Pods().Informer(), board: newBoard(podCounts{})}
	if err := p.informer.SetTransform(dropManagedFields); err != nil {
		return nil, err
	}
	_, err = p.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { p.board.change(func(c *podCounts) { c.count(o, 1) }) },
		UpdateFunc: func(before, after any) {
			p.board.change(func(c *podCounts) { c.count(before, -1); c.count(after, 1) })
		},
		DeleteFunc: func(o any) {
			if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = unknown.Obj
			}
			p.board.change(func(c *podCounts) { c.count(o, -1) })
		},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p.stop = func() { cancel(); factory.Shutdown() }
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), p.informer.HasSynced)
	return p, nil
}

func dropManagedFields(o any) (any, error) {
	if pod, ok := o.(*corev1.Pod); ok {
		pod.ManagedFields = nil
	}
	return o, nil
}

func (p *pods) list() []*corev1.Pod {
	var out []*corev1.Pod
	for _, o := range p.informer.GetStore().List() {
		out = append(out, o.(*corev1.Pod))
	}
	return out
}

func (p *pods) awaitPresent(ctx context.Context, n int) error {
	return p.board.await(ctx, fmt.Sprintf("%d Pods to be there", n), func(c podCounts) bool { return c.present == n })
}

func (p *pods) awaitRunning(ctx context.Context, n int) error {
	return p.board.await(ctx, fmt.Sprintf("%d Pods to run", n), func(c podCounts) bool { return c.running == n })
}

// board is a value that one goroutine changes and another waits for.
type board[T any] struct {
	mu      *sync.Mutex
	value   T
	changed chan struct{} // has an element if the value has changed since it was last looked at
}

func newBoard[T any](value T) board[T] {
	return board[T]{mu: &sync.Mutex{}, value: value, changed: make(chan struct{}, 1)}
}

func (b *board[T]) change(how func(*T)) {
	b.mu.Lock()
	how(&b.value)
	b.mu.Unlock()
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

func (b *board[T]) get() T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.value
}

// await returns once the value is as wanted, or an error with the value if ctx ends first. There may be one caller at a time.
func (b *board[T]) await(ctx context.Context, what string, wanted func(T) bool) error {
	for !wanted(b.get()) {
		select {
		case <-b.changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (at %+v)", what, context.Cause(ctx), b.get())
		}
	}
	return nil
}
