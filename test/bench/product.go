package main

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

// product runs the Frameworks of a work with a controller of their own.
func (b *bench) product(ctx context.Context, w work) (sample, error) {
	return b.productAs(ctx, w, withoutPlugins(b.config))
}

func (b *bench) productWithPlugins(ctx context.Context, w work) (sample, error) {
	return b.productAs(ctx, w, b.config)
}

func (b *bench) productAs(ctx context.Context, w work, configuration *config.Config) (r sample, err error) {
	err = b.underController(ctx, configuration, func(ctx context.Context, p *controller, f *frameworks) error {
		if err := settle(ctx, b.cluster); err != nil {
			return err
		}
		if r, err = (life{b, w, p, f}).measure(ctx); err != nil {
			return err
		}
		return inOrder(
			func() error { return p.checkWhoDecided(ctx, f, w.specs()) },
			func() error { return b.clear(ctx, f, w.specs()) },
		)
	})
	return r, err
}

// underController runs a controller, and calls do when it is ready. The context of do ends if the controller does.
func (b *bench) underController(ctx context.Context, configuration *config.Config, do func(context.Context, *controller, *frameworks) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p, err := b.startController(configuration, cancel)
	if err != nil {
		return err
	}
	defer p.stop()
	f, err := newFrameworks(b.cluster.Config)
	if err != nil {
		return err
	}
	if err := b.awaitReady(ctx, p, f); err != nil {
		return err
	}
	return do(ctx, p, f)
}

// awaitReady runs a small Framework to its end and deletes it. This excludes from the measurement the start of the controller and its
// plugins, their first connections, and the time in which the garbage collector discovers Frameworks.
func (b *bench) awaitReady(ctx context.Context, p *controller, f *frameworks) error {
	small := work{frameworks: 1, tasks: 1}
	probe := []*v1.Framework{framework("probe", small.tasks)}
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		return f.create(ctx, probe[0]) == nil, nil // fails until the CRD exists
	})
	if err != nil {
		return context.Cause(ctx)
	}
	return inOrder(
		func() error { return b.pods.awaitRunning(ctx, 1) },
		func() error { return p.awaitPlugins(ctx) },
		func() error { return life{b, small, p, f}.end(ctx, &sample{}) },
		func() error { return p.checkWhoDecided(ctx, f, probe) },
		func() error { return b.clear(ctx, f, probe) },
	)
}

// clear deletes Frameworks and waits until they and all Pods are gone.
func (b *bench) clear(ctx context.Context, f *frameworks, all []*v1.Framework) error {
	return inOrder(
		func() error { return each(ctx, all, f.delete) },
		func() error { return f.awaitNone(ctx) },
		func() error { return b.pods.awaitPresent(ctx, 0) },
	)
}

// life covers a work's Frameworks from their creation to their completion.
type life struct {
	*bench
	work       work
	controller *controller
	frameworks *frameworks
}

func (l life) measure(ctx context.Context) (r sample, err error) {
	before, err := l.look(ctx, l.controller)
	if err != nil {
		return r, err
	}
	err = inOrder(
		func() error { return l.begin(ctx, &r) },
		func() error { return l.countToRun(ctx, l.controller, before, &r) },
		func() error { return l.keepStatus(ctx) },
		func() error { return l.end(ctx, &r) },
		func() error { return l.count(ctx, l.controller, before, &r) },
	)
	if err != nil {
		return r, err
	}
	r.PeakMiB, err = peakMiB(l.controller.pid())
	return r, err
}

func (l life) begin(ctx context.Context, r *sample) error {
	start := time.Now()
	specs := l.work.specs()
	err := l.toRunning(ctx, l.work, r, func(ctx context.Context) error { return each(ctx, specs, l.frameworks.create) })
	if err != nil {
		return err
	}
	err = l.frameworks.awaitRunning(ctx, l.work)
	r.Counted = since(start)
	return err
}

func (l life) end(ctx context.Context, r *sample) error {
	pods := l.pods.list()
	start := time.Now()
	err := inOrder(
		func() error { return each(ctx, pods, l.bare.succeed) },
		func() error { return l.pods.awaitPresent(ctx, 0) },
		func() error { return l.frameworks.awaitCompleted(ctx, l.work) },
	)
	r.End = since(start)
	return err
}
