package e2e

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// recorder records everything for the checker. It also shows stories the existing objects of their Frameworks, and all Pods that existed.
type recorder struct {
	*checker.Recorder
	stop      context.CancelFunc
	deletions deletions

	mu          sync.Mutex
	begun       bool // observations from now on are new
	byNamespace map[string]*seenThere
	more        chan struct{} // closed, and replaced, whenever something was seen
}

// startRecorder begins to watch now.
func startRecorder(ctx context.Context) (w *recorder, err error) {
	w = &recorder{
		byNamespace: map[string]*seenThere{},
		more:        make(chan struct{}),
		deletions:   deletions{pods: map[types.UID]types.NamespacedName{}},
	}
	ctx, w.stop = context.WithCancel(ctx)
	if w.Recorder, err = checker.Record(ctx, kube.Config, checker.RecordOptions{Skip: w.skips, Seen: w.see}); err != nil {
		w.stop()
		return nil, err
	}
	go w.deletions.finish(ctx)
	w.begin()
	return w, nil
}

func (w *recorder) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = true
}

// skip hides a namespace from the checker.
func (w *recorder) skip(namespace string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of(namespace).skipped = true
}

func (w *recorder) skips(o metav1.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of(o.GetNamespace()).skipped
}

func (w *recorder) see(o checker.Observation) {
	if o.Pod != nil {
		w.deletions.note(o.Pod, o.Gone)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case o.Framework != nil:
		w.of(o.Framework.Namespace).note(o.Framework, !o.Gone)
	case o.ConfigMap != nil:
		w.of(o.ConfigMap.Namespace).ever[o.ConfigMap.UID] = true
	case o.Pod != nil:
		w.of(o.Pod.Namespace).notePod(o.Pod, o.Gone, !w.begun)
	}
	close(w.more)
	w.more = make(chan struct{})
}

// of returns the observations in a namespace. The caller holds the lock.
func (w *recorder) of(namespace string) *seenThere {
	n := w.byNamespace[namespace]
	if n == nil {
		n = &seenThere{ever: map[types.UID]bool{}, alive: map[types.UID]bool{}, pods: map[types.UID]*seenPod{}}
		w.byNamespace[namespace] = n
	}
	return n
}

// await returns once the observations in a namespace are as wanted.
func (w *recorder) await(ctx context.Context, namespace string, is func(*seenThere) bool) error {
	for {
		w.mu.Lock()
		done, more := is(w.of(namespace)), w.more
		w.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// awaitNothing returns once all Frameworks and their Pods are gone.
func (w *recorder) awaitNothing(ctx context.Context, namespace string) error {
	if err := w.await(ctx, namespace, func(n *seenThere) bool { return len(n.alive) == 0 }); err != nil {
		return fmt.Errorf("Frameworks, or Pods of theirs, are left: %w", err)
	}
	return nil
}

// catchUp returns once everything stored up to now is seen: each kind is watched in the order of its writes, so objects created now are
// seen after them.
func (w *recorder) catchUp(ctx context.Context) error {
	named := metav1.ObjectMeta{GenerateName: "mark-", Namespace: metav1.NamespaceDefault}
	configMaps, pods := core.CoreV1().ConfigMaps(named.Namespace), core.CoreV1().Pods(named.Namespace)
	background := metav1.DeletePropagationBackground // the cluster's guard requires it for a Pod without a node
	remove := metav1.DeleteOptions{PropagationPolicy: &background, GracePeriodSeconds: new(int64)}
	c, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: named}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	defer configMaps.Delete(ctx, c.Name, remove)
	p, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: named, Spec: corev1.PodSpec{
		SchedulerName: "none", Containers: []corev1.Container{{Name: "c", Image: "none"}}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	defer pods.Delete(ctx, p.Name, remove)
	held := frameworks.FrameworkControllerV1().Frameworks(named.Namespace)
	named.GenerateName = "mark"
	f, err := held.Create(ctx, &v1.Framework{ObjectMeta: named, Spec: v1.FrameworkSpec{ExecutionType: v1.ExecutionCreate}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	defer held.Delete(ctx, f.Name, metav1.DeleteOptions{})
	return w.await(ctx, named.Namespace, func(n *seenThere) bool { return n.ever[c.UID] && n.ever[p.UID] && n.ever[f.UID] })
}
