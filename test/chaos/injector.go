package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// injector does to the cluster and the controller what may happen to them.
type injector struct {
	cluster     *cluster.Cluster
	core        kubernetes.Interface
	controllers *controllers
	greedy      *greedy
	gangs       *gangScheduler
	histories   []*historySite
	figures     *figures
	prone       map[string]bool // Frameworks whose objects may be deleted, by name
	seed        uint64
	rounds      uint64 // number of calls of work

	mu   sync.Mutex
	took map[string]int // objects that were deleted, by Framework
}

// work injects faults until ctx ends. Afterwards everything that it has killed or stopped runs again.
func (i *injector) work(ctx context.Context, o options) error {
	i.rounds++
	kinds := []struct {
		every time.Duration
		do    func(context.Context, *rand.Rand) error
	}{
		{o.killEvery, i.killController},
		{3 * o.killEvery, i.freezeController},
		{4 * time.Second, i.killPlugin},
		{4 * time.Second, i.hangPlugin},
		{300 * time.Millisecond, i.deletePod},
		{1500 * time.Millisecond, i.deleteConfigMap},
		{1500 * time.Millisecond, i.greedy.act},
		{time.Second, i.gangs.evict},
		{o.serverKill, i.killServer},
		{o.removal, i.removeNode},
		{5 * time.Second, i.killHistory},
	}
	errs := make(chan error, len(kinds))
	var all sync.WaitGroup
	for n, kind := range kinds {
		if kind.every <= 0 {
			continue
		}
		random := rand.New(rand.NewPCG(i.seed, 100*i.rounds+uint64(n)))
		all.Go(func() {
			for pause(ctx, kind.every/5+time.Duration(random.Int64N(int64(8*kind.every/5)))) == nil {
				if err := kind.do(ctx, random); err != nil && ctx.Err() == nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

// deletePod deletes one of a Framework that is prone to it, gracefully, as an eviction or a user would.
func (i *injector) deletePod(ctx context.Context, random *rand.Rand) error {
	client := i.core.CoreV1().Pods(namespace)
	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: v1.KeyFrameworkName})
	if err != nil {
		return nil // the API server may have been killed
	}
	i.deleteOne(ctx, "Pod", objects(list.Items, func(p *corev1.Pod) metav1.Object { return p }), random, client.Delete)
	return nil
}

func (i *injector) deleteConfigMap(ctx context.Context, random *rand.Rand) error {
	client := i.core.CoreV1().ConfigMaps(namespace)
	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: v1.KeyFrameworkName})
	if err != nil {
		return nil
	}
	i.deleteOne(ctx, "ConfigMap", objects(list.Items, func(c *corev1.ConfigMap) metav1.Object { return c }), random, client.Delete)
	return nil
}

func objects[T any](items []T, object func(*T) metav1.Object) (out []metav1.Object) {
	for i := range items {
		out = append(out, object(&items[i]))
	}
	return out
}

func (i *injector) deleteOne(ctx context.Context, kind string, all []metav1.Object, random *rand.Rand,
	remove func(context.Context, string, metav1.DeleteOptions) error) {
	victim := i.choose(all, random)
	if victim == nil {
		return
	}
	only := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(victim.GetUID()))}
	i.note("deletions: "+kind, victim, remove(ctx, victim.GetName(), only))
}

// choose returns one of the objects that may be deleted, or nil.
func (i *injector) choose(objects []metav1.Object, random *rand.Rand) metav1.Object {
	var may []metav1.Object
	for _, o := range objects {
		if i.prone[o.GetLabels()[v1.KeyFrameworkName]] && o.GetDeletionTimestamp() == nil {
			may = append(may, o)
		}
	}
	if len(may) == 0 {
		return nil
	}
	return may[random.IntN(len(may))]
}

// note counts a deletion, even if it is unknown whether it took effect.
func (i *injector) note(what string, victim metav1.Object, err error) {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return
	}
	i.figures.count(what)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.took[victim.GetLabels()[v1.KeyFrameworkName]]++
}

// tookFrom returns how many objects of a Framework were deleted.
func (i *injector) tookFrom(framework string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.took[framework]
}
