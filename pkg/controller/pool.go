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
	queues map[cache.ObjectName]*backlog
	turns  []cache.ObjectName // owners with jobs waiting, the one whose turn it is first
	done   int                // jobs that this one has had of its turn
	closed bool
}

// backlog are the jobs of an owner that have not begun yet. Creations come after all others: an attempt ends only when its
// failed Pod has gone, and of those that are still to be created none may be wanted then.
type backlog struct {
	others, creations []func(context.Context)
}

func (b *backlog) len() int { return len(b.others) + len(b.creations) }

// next takes out the first.
func (b *backlog) next() func(context.Context) {
	from := &b.others
	if len(b.others) == 0 {
		from = &b.creations
	}
	job := (*from)[0]
	(*from)[0] = nil // the rest of the queue keeps its place in memory, but not what the job holds
	*from = (*from)[1:]
	return job
}

func newPool() *pool {
	p := &pool{queues: map[cache.ObjectName]*backlog{}}
	p.ready = sync.NewCond(&p.mu)
	return p
}

// submit adds a job to its owner's queue. After close it does nothing.
func (p *pool) submit(owner cache.ObjectName, creates bool, job func(context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	jobs := p.queues[owner]
	if jobs == nil {
		jobs = &backlog{}
		p.queues[owner] = jobs
		p.turns = append(p.turns, owner)
	}
	if creates {
		jobs.creations = append(jobs.creations, job)
	} else {
		jobs.others = append(jobs.others, job)
	}
	p.ready.Signal()
}

// waiting reports whether a job of the owner has not begun yet.
func (p *pool) waiting(owner cache.ObjectName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queues[owner] != nil
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
	jobs := p.queues[p.turns[0]]
	job := jobs.next()
	p.pass(jobs.len() == 0)
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
