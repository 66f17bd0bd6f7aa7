package flowcontrol

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/tools/cache"
)

var many, few = cache.NewObjectName("default", "many"), cache.NewObjectName("default", "few")

// Owners take turns, so that one owner with ten thousand jobs does not block another.
func TestPoolIsFair(t *testing.T) {
	t.Parallel()
	p := NewPool()
	var done []string
	job := func(name string) Job {
		return wantedJob(func(context.Context) { done = append(done, name) })
	}
	for i := range 10000 {
		p.Submit(many, true, job(fmt.Sprint(i)))
	}
	p.Submit(few, true, job("first of few"))
	p.Submit(few, true, wantedJob(func(context.Context) {
		done = append(done, "second of few")
		p.Close()
	}))
	p.Run(t.Context(), 1)
	if len(done) != jobsPerTurn+2 || done[jobsPerTurn] != "first of few" || done[jobsPerTurn+1] != "second of few" {
		t.Errorf("done was %v, want one turn of many, and then few", done)
	}
}

func wantedJob(do func(context.Context)) Job { return Job{Wanted: func() bool { return true }, Do: do} }

// An owner whose requests hang, because of its namespace's webhook for instance, leaves slots to others.
func TestPoolKeepsSlotsForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const workers = 8
		p := NewPool()
		var hanging, done atomic.Int32
		hold := make(chan struct{})
		for range 10 * workers {
			p.Submit(many, true, wantedJob(func(context.Context) {
				hanging.Add(1)
				<-hold
			}))
		}
		var running sync.WaitGroup
		running.Go(func() { p.Run(t.Context(), workers) })
		synctest.Wait()
		begun := hanging.Load()

		for range 3 * jobsPerTurn {
			p.Submit(few, true, wantedJob(func(context.Context) { done.Add(1) }))
		}
		synctest.Wait()
		if begun != workers*3/4 || done.Load() != 3*jobsPerTurn {
			t.Errorf("%d hang, and %d of another have been done", begun, done.Load())
		}
		hold <- struct{}{}
		synctest.Wait()
		if hanging.Load() != begun+1 {
			t.Errorf("after the end of one, %d have begun", hanging.Load())
		}
		p.Close()
		close(hold)
		running.Wait()
	})
}

// Jobs that no longer make a request take no turns: the creations of a stopped Framework are dropped at once.
func TestPoolDropsTheUnwanted(t *testing.T) {
	t.Parallel()
	p := NewPool()
	var done []string
	for range 10000 {
		p.Submit(many, true, Job{Wanted: func() bool { return false }, Do: func(context.Context) { done = append(done, "unwanted") }})
	}
	for range 2 * jobsPerTurn {
		p.Submit(few, true, wantedJob(func(context.Context) { done = append(done, "few") }))
	}
	for range 10001 {
		p.next()(t.Context())
	}
	if last := done[len(done)-1]; slices.Contains(done[:10000], "few") || last != "few" {
		t.Errorf("%s came after 10000", last)
	}
}

// Deletions do not wait for creations.
func TestPoolDeletesFirst(t *testing.T) {
	t.Parallel()
	p := NewPool()
	var done []string
	for _, name := range []string{"create 0", "create 1", "delete 0", "create 2", "delete 1"} {
		p.Submit(many, strings.HasPrefix(name, "create"), wantedJob(func(context.Context) { done = append(done, name) }))
	}
	for range 5 {
		p.next()(t.Context())
	}
	if want := []string{"delete 0", "delete 1", "create 0", "create 1", "create 2"}; !slices.Equal(done, want) {
		t.Errorf("done was %q", done)
	}
}

// Jobs run concurrently up to a limit, and run ends with the last of them. Jobs that have not begun are dropped.
func TestPoolRunsAndStops(t *testing.T) {
	t.Parallel()
	p := NewPool()
	const workers = 8
	var begun, ended atomic.Int32
	hold := make(chan struct{})
	for i := range 10 * workers {
		p.Submit(cache.NewObjectName("default", fmt.Sprint(i)), true, wantedJob(func(context.Context) {
			begun.Add(1)
			<-hold
			ended.Add(1)
		}))
	}
	var running sync.WaitGroup
	running.Go(func() { p.Run(t.Context(), workers) })
	for begun.Load() < workers {
	}
	p.Close()
	p.Submit(few, true, wantedJob(func(context.Context) { t.Error("a job began after close") }))
	close(hold)
	running.Wait()
	if b, e := begun.Load(), ended.Load(); b != workers || e != workers {
		t.Errorf("%d jobs were begun and %d ended, want %d", b, e, workers)
	}
}

// Nothing is kept about finished jobs.
func TestPoolForgets(t *testing.T) {
	t.Parallel()
	p := NewPool()
	for i := range 100 {
		p.Submit(cache.NewObjectName("default", fmt.Sprint(i)), true, wantedJob(func(context.Context) {}))
		p.next()(t.Context())
	}
	if owners := len(p.slots.ofOwner) + len(p.slots.ofNamespace); len(p.queues) != 0 || len(p.turns) != 0 || owners != 0 {
		t.Errorf("%d queues, %d turns and %d owners are left", len(p.queues), len(p.turns), owners)
	}
}
