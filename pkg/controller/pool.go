package controller

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/cache"
)

// pool performs jobs, so many at a time. Owners take turns, so that one with ten thousand jobs does not keep
// another waiting for its first.
type pool struct {
	mu     sync.Mutex
	ready  *sync.Cond
	queues map[cache.ObjectName][]func(context.Context)
	turns  []cache.ObjectName // owners with jobs waiting, the next one first
	closed bool
}

func newPool() *pool {
	p := &pool{queues: map[cache.ObjectName][]func(context.Context){}}
	p.ready = sync.NewCond(&p.mu)
	return p
}

// submit adds a job to its owner's queue. After close it does nothing.
func (p *pool) submit(owner cache.ObjectName, job func(context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if len(p.queues[owner]) == 0 {
		p.turns = append(p.turns, owner)
	}
	p.queues[owner] = append(p.queues[owner], job)
	p.ready.Signal()
}

// run performs jobs with so many workers until close is called, and returns when the jobs under way have
// ended. Jobs not begun by then are dropped.
func (p *pool) run(ctx context.Context, workers int) {
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for job := p.next(); job != nil; job = p.next() {
				job(ctx)
			}
		})
	}
	running.Wait()
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.ready.Broadcast()
}

// next waits for a job; nil after close.
func (p *pool) next() func(context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.turns) == 0 && !p.closed {
		p.ready.Wait()
	}
	if p.closed {
		return nil
	}
	owner := p.turns[0]
	p.turns = p.turns[1:]
	jobs := p.queues[owner]
	if len(jobs) == 1 {
		delete(p.queues, owner)
	} else {
		p.queues[owner] = jobs[1:]
		p.turns = append(p.turns, owner)
	}
	return jobs[0]
}
