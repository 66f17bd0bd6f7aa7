package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// arrayRuns are the durations of many Tasks, of which some run at once, each for a second: in one Framework, by a bare client, and in many
// small Frameworks one after another.
type arrayRuns struct {
	Tasks  int `json:"tasks"`
	AtOnce int `json:"atOnce"`
	// Floor keeps as many bare Pods running, Product is one Framework with parallelism, and Small are Frameworks of AtOnce Tasks one after
	// another.
	Floor   []sample `json:"floor"`
	Product []sample `json:"product"`
	Small   []sample `json:"small"`
}

const (
	arrayTimeTarget = 1.25 // times the floor
	arrayCPUTarget  = 1.5  // times the controller's CPU for small Frameworks
	arrayKiBTarget  = 8    // of statuses, per Task
)

// aSecond lets a container of a simulated node run for that time and succeed.
var aSecond = `{"metadata": {"annotations": {"simulate.frameworkcontroller.io/run-for": "1s", "simulate.frameworkcontroller.io/exit-code": "0"}}, ` + template[1:]

// measureArray measures the sides once each.
func (b *bench) measureArray(ctx context.Context, r *report) error {
	runs := &arrayRuns{}
	if _, err := fmt.Sscanf(b.options.array, "%d/%d", &runs.Tasks, &runs.AtOnce); err != nil || runs.AtOnce < 1 {
		return fmt.Errorf("-array: %q is not of the form 10000/50", b.options.array)
	}
	floor, err := b.bareArray(ctx, runs)
	if err != nil {
		return err
	}
	runs.Floor = append(runs.Floor, floor)
	err = b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, p *controller, f *frameworks) error {
		product, err := b.arrayOf(ctx, p, f, []*v1.Framework{arrayFramework("array", runs.Tasks, runs.AtOnce)})
		if err != nil {
			return err
		}
		runs.Product = append(runs.Product, product)
		return nil
	})
	if err != nil {
		return err
	}
	err = b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, p *controller, f *frameworks) error {
		var all []*v1.Framework
		for i := range runs.Tasks / runs.AtOnce {
			all = append(all, arrayFramework(fmt.Sprintf("small%d", i), runs.AtOnce, runs.AtOnce))
		}
		small, err := b.arrayOf(ctx, p, f, all)
		if err != nil {
			return err
		}
		runs.Small = append(runs.Small, small)
		return nil
	})
	r.Array = runs
	return err
}

func arrayFramework(name string, tasks, atOnce int) *v1.Framework {
	f := framework(name, tasks)
	f.Spec.TaskRoles[0].Task.Pod = []byte(aSecond)
	if atOnce < tasks {
		n := int32(atOnce)
		f.Spec.TaskRoles[0].Parallelism = &n
	}
	return f
}

// arrayOf runs Frameworks one after another.
func (b *bench) arrayOf(ctx context.Context, p *controller, f *frameworks, all []*v1.Framework) (s sample, err error) {
	if err := settle(ctx, b.cluster); err != nil {
		return s, err
	}
	before, err := b.look(ctx, p)
	if err != nil {
		return s, err
	}
	start := time.Now()
	for i := range all {
		if err := f.create(ctx, all[i]); err != nil {
			return s, err
		}
		if err := f.awaitCompleted(ctx, work{frameworks: i + 1}); err != nil {
			return s, err
		}
	}
	s.End = since(start)
	if err := b.count(ctx, p, before, &s); err != nil {
		return s, err
	}
	if s.PeakMiB, err = peakMiB(p.pid()); err != nil {
		return s, err
	}
	fmt.Fprintf(os.Stderr, "array of %d Frameworks: %.1f s, controller %.1f s of CPU, %.1f MiB of statuses, requests %v (others took %.0f %%)\n",
		len(all), s.End, s.CPU[controllerName], s.WriteMiB, s.Requests, 100*s.Others)
	return s, b.clear(ctx, f, all)
}

// bareArray keeps as many Pods running as AtOnce: each worker creates a Pod, waits for its end, deletes it, waits until it is gone, and
// continues with the next.
func (b *bench) bareArray(ctx context.Context, runs *arrayRuns) (s sample, err error) {
	made, err := work{frameworks: 1, tasks: runs.Tasks}.barePods()
	if err != nil {
		return s, err
	}
	for _, pod := range made {
		pod.Annotations = map[string]string{"simulate.frameworkcontroller.io/run-for": "1s", "simulate.frameworkcontroller.io/exit-code": "0"}
	}
	ends, err := b.watchEnds(made)
	if err != nil {
		return s, err
	}
	defer ends.stop()
	if err := settle(ctx, b.cluster); err != nil {
		return s, err
	}
	before, err := b.look(ctx, nil)
	if err != nil {
		return s, err
	}
	start := time.Now()
	if err := ends.run(ctx, b.bare, made, runs.AtOnce); err != nil {
		return s, err
	}
	s.End = since(start)
	if err := b.count(ctx, nil, before, &s); err != nil {
		return s, err
	}
	fmt.Fprintf(os.Stderr, "array of %d bare Pods, %d at once: %.1f s (others took %.0f %%)\n", runs.Tasks, runs.AtOnce, s.End, 100*s.Others)
	return s, nil
}

// podEnds signals the end and the removal of each Pod.
type podEnds struct {
	ended, gone map[string]chan struct{} // by name; closed once it has
	stop        func()
}

func (b *bench) watchEnds(all []*corev1.Pod) (*podEnds, error) {
	e := &podEnds{ended: map[string]chan struct{}{}, gone: map[string]chan struct{}{}}
	for _, pod := range all {
		e.ended[pod.Name], e.gone[pod.Name] = make(chan struct{}), make(chan struct{})
	}
	handler, err := b.pods.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			was, is := before.(*corev1.Pod), after.(*corev1.Pod)
			if ch := e.ended[is.Name]; ch != nil && was.Status.Phase != corev1.PodSucceeded && is.Status.Phase == corev1.PodSucceeded {
				close(ch)
			}
		},
		DeleteFunc: func(o any) {
			if pod, ok := o.(*corev1.Pod); ok && e.gone[pod.Name] != nil {
				close(e.gone[pod.Name])
			}
		},
	})
	if err != nil {
		return nil, err
	}
	e.stop = func() { _ = b.pods.informer.RemoveEventHandler(handler) }
	return e, nil
}

func (e *podEnds) run(ctx context.Context, c *bare, all []*corev1.Pod, atOnce int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan *corev1.Pod, len(all))
	for _, pod := range all {
		next <- pod
	}
	close(next)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for pod := range next {
				err := inOrder(
					func() error { return c.create(ctx, pod) },
					func() error { return awaitClosed(ctx, e.ended[pod.Name]) },
					func() error { return c.delete(ctx, pod) },
					func() error { return awaitClosed(ctx, e.gone[pod.Name]) },
				)
				if err != nil {
					cancel(fmt.Errorf("bare Pod %s: %w", pod.Name, err))
					return
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func awaitClosed(ctx context.Context, ch <-chan struct{}) error {
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// addArray adds its rows.
func (r *report) addArray() {
	a := r.Array
	if a == nil {
		return
	}
	what := fmt.Sprintf("%d Tasks of 1 s, %d at once: ", a.Tasks, a.AtOnce)
	r.Rows = append(r.Rows,
		compare(what+"all have completed", a.Floor, a.Product, func(s sample) float64 { return float64(s.End) }).within(arrayTimeTarget),
		compare(what+"CPU of the controller, against small Frameworks one after another", a.Small, a.Product,
			func(s sample) float64 { return s.CPU[controllerName] }).within(arrayCPUTarget),
		absolute(what+"statuses per Task", "KiB", median(a.Product, a.kibPerTask)).within(arrayKiBTarget),
		absolute(what+"statuses per Task, of small Frameworks one after another", "KiB", median(a.Small, a.kibPerTask)),
	)
}

func (a *arrayRuns) kibPerTask(s sample) float64 { return s.WriteMiB * 1024 / float64(a.Tasks) }
