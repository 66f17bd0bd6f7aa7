package main

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// suspensionRuns are how long it takes until all Pods are gone, of a Framework that is suspended and of bare Pods that are
// deleted.
type suspensionRuns struct {
	Tasks   int       `json:"tasks"`
	Floor   []seconds `json:"floor"`
	Product []seconds `json:"product"` // in pairs with the floor
}

const (
	suspendedTasks   = 1000
	suspensionRounds = 3
	suspensionTarget = 1.3
)

// measureSuspension lets both sides take turns.
func (b *bench) measureSuspension(ctx context.Context, r *report) error {
	return b.underController(ctx, withoutPlugins(b.config), func(ctx context.Context, _ *controller, f *frameworks) error {
		runs := &suspensionRuns{Tasks: suspendedTasks}
		for range suspensionRounds {
			floor, err := b.bareDeletion(ctx)
			if err != nil {
				return err
			}
			product, err := b.suspension(ctx, f)
			if err != nil {
				return err
			}
			runs.Floor, runs.Product = append(runs.Floor, floor), append(runs.Product, product)
		}
		fmt.Fprintf(os.Stderr, "suspension of %d Tasks  bare deletion: %.2f s  Framework: %.2f s\n", runs.Tasks, runs.Floor, runs.Product)
		r.Suspension = runs
		return nil
	})
}

func (b *bench) bareDeletion(ctx context.Context) (took seconds, err error) {
	pods, err := work{frameworks: 1, tasks: suspendedTasks}.barePods()
	if err != nil {
		return 0, err
	}
	return took, inOrder(
		func() error { return each(ctx, pods, b.bare.create) },
		func() error { return b.pods.awaitRunning(ctx, suspendedTasks) },
		func() error { return settle(ctx, b.cluster) },
		func() error {
			start := time.Now()
			if err := each(ctx, pods, b.bare.delete); err != nil {
				return err
			}
			err := b.pods.awaitPresent(ctx, 0)
			took = since(start)
			return err
		},
	)
}

func (b *bench) suspension(ctx context.Context, f *frameworks) (took seconds, err error) {
	one := framework("suspended", suspendedTasks)
	return took, inOrder(
		func() error { return f.create(ctx, one) },
		func() error { return b.pods.awaitRunning(ctx, suspendedTasks) },
		func() error { return settle(ctx, b.cluster) },
		func() error {
			start := time.Now()
			if err := f.patch(ctx, one, `{"spec":{"suspend":true}}`); err != nil {
				return err
			}
			err := b.pods.awaitPresent(ctx, 0)
			took = since(start)
			return err
		},
		func() error { return b.clear(ctx, f, []*v1.Framework{one}) },
	)
}

func (f *frameworks) patch(ctx context.Context, framework *v1.Framework, patch string) error {
	_, err := f.client.FrameworkControllerV1().Frameworks(namespace).Patch(ctx, framework.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// addSuspension adds its row.
func (r *report) addSuspension() {
	if r.Suspension != nil {
		r.Rows = append(r.Rows, compare(fmt.Sprintf("suspension of %d Tasks: all Pods gone", r.Suspension.Tasks),
			r.Suspension.Floor, r.Suspension.Product, func(s seconds) float64 { return float64(s) }).within(suspensionTarget))
	}
}
