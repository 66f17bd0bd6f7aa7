package controller

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/cache"
)

// jobsPerTurn is how many jobs an owner has done before it is another's turn. What is done together comes back
// together, and so into one status write; jobs one by one would mean writes one by one.
const jobsPerTurn = 16

// pool performs jobs, so many at a time. Owners take turns, so that one with ten thousand jobs does not keep
// another waiting for its first.
type pool struct {
	mu     sync.Mutex
	ready  *sync.Cond
	queues map[cache.ObjectName][]func(context.Context)
	turns  []cache.ObjectName // owners with jobs waiting, the one whose turn it is first
	done   int                // jobs that this one has had of its turn
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

// waiting reports whether a job of the owner has not begun yet.
func (p *pool) waiting(owner cache.ObjectName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queues[owner]) > 0
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
	jobs := p.queues[owner]
	job := jobs[0]
	jobs[0] = nil // the rest of the queue keeps its place in memory, but not what the job holds
	p.queues[owner] = jobs[1:]
	p.pass(len(jobs) == 1)
	return job
}

// pass counts a job of the owner whose turn it is, and passes the turn on if it was its last, or enough.
func (p *pool) pass(last bool) {
	p.done++
	if !last && p.done < jobsPerTurn {
		return
	}
	owner := p.turns[0]
	p.turns, p.done = p.turns[1:], 0
	if last {
		delete(p.queues, owner)
	} else {
		p.turns = append(p.turns, owner)
	}
}
