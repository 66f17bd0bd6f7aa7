package main

import (
	"context"
	"time"
)

// floor runs the Pods of a work without a controller.
func (b *bench) floor(ctx context.Context, w work) (r sample, err error) {
	made, err := w.barePods()
	if err != nil {
		return r, err
	}
	if err := settle(ctx, b.cluster); err != nil {
		return r, err
	}
	before, err := b.look(ctx, nil)
	if err != nil {
		return r, err
	}
	create := func(ctx context.Context) error { return each(ctx, made, b.bare.create) }
	return r, inOrder(
		func() error { return b.toRunning(ctx, w, &r, create) },
		func() error { return b.countToRun(ctx, nil, before, &r) },
		func() error { return b.bareEnd(ctx, &r) },
		func() error { return b.count(ctx, nil, before, &r) },
	)
}

// bareEnd makes all Pods succeed, and deletes them.
func (b *bench) bareEnd(ctx context.Context, r *sample) error {
	pods := b.pods.list()
	start := time.Now()
	err := inOrder(
		func() error { return each(ctx, pods, b.bare.succeed) },
		func() error { return each(ctx, pods, b.bare.delete) },
		func() error { return b.pods.awaitPresent(ctx, 0) },
	)
	r.End = since(start)
	return err
}

// toRunning has Pods created, and notes the times.
func (b *bench) toRunning(ctx context.Context, w work, r *sample, create func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	go func() {
		if err := create(ctx); err != nil {
			cancel(err)
		}
	}()
	if err := b.pods.awaitPresent(ctx, w.pods()); err != nil {
		return err
	}
	r.Created, r.RanEarly = since(start), b.pods.board.get().running
	err := b.pods.awaitRunning(ctx, w.pods())
	r.Running = since(start)
	return err
}

// inOrder does one thing after the other, up to the first error.
func inOrder(things ...func() error) error {
	for _, do := range things {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}
