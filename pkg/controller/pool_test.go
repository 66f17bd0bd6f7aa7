package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/cache"
)

var many, few = cache.NewObjectName("default", "many"), cache.NewObjectName("default", "few")

// Owners take turns, so that one with ten thousand jobs does not keep another waiting.
func TestPoolIsFair(t *testing.T) {
	t.Parallel()
	p := newPool()
	var done []string
	job := func(name string) func(context.Context) {
		return func(context.Context) { done = append(done, name) }
	}
	for i := range 10000 {
		p.submit(many, true, job(fmt.Sprint(i)))
	}
	p.submit(few, true, job("first of few"))
	p.submit(few, true, func(context.Context) {
		done = append(done, "second of few")
		p.close()
	})
	p.run(t.Context(), 1)
	if len(done) != jobsPerTurn+2 || done[jobsPerTurn] != "first of few" || done[jobsPerTurn+1] != "second of few" {
		t.Errorf("done was %v, want one turn of many, and then few", done)
	}
}

// What ends or frees something does not wait for what is to be created.
func TestPoolDeletesFirst(t *testing.T) {
	t.Parallel()
	p := newPool()
	var done []string
	for _, name := range []string{"create 0", "create 1", "delete 0", "create 2", "delete 1"} {
		p.submit(many, strings.HasPrefix(name, "create"), func(context.Context) { done = append(done, name) })
	}
	for range 5 {
		p.next()(t.Context())
	}
	if want := []string{"delete 0", "delete 1", "create 0", "create 1", "create 2"}; !slices.Equal(done, want) {
		t.Errorf("done was %q", done)
	}
}

// Jobs run at the same time up to a number, and run ends with the last of them. Those not begun are dropped.
func TestPoolRunsAndStops(t *testing.T) {
	t.Parallel()
	p := newPool()
	const workers = 8
	var begun, ended atomic.Int32
	hold := make(chan struct{})
	for range 10 * workers {
		p.submit(many, true, func(context.Context) {
			begun.Add(1)
			<-hold
			ended.Add(1)
		})
	}
	var running sync.WaitGroup
	running.Go(func() { p.run(t.Context(), workers) })
	for begun.Load() < workers {
	}
	p.close()
	p.submit(few, true, func(context.Context) { t.Error("a job began after close") })
	close(hold)
	running.Wait()
	if b, e := begun.Load(), ended.Load(); b != workers || e != workers {
		t.Errorf("%d jobs were begun and %d ended, want %d", b, e, workers)
	}
}

// Nothing is kept of jobs that are done.
func TestPoolForgets(t *testing.T) {
	t.Parallel()
	p := newPool()
	for i := range 100 {
		p.submit(cache.NewObjectName("default", fmt.Sprint(i)), true, func(context.Context) {})
		p.next()
	}
	if len(p.queues) != 0 || len(p.turns) != 0 {
		t.Errorf("%d queues and %d turns are left", len(p.queues), len(p.turns))
	}
}
