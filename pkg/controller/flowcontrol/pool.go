package flowcontrol

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// jobsPerTurn is the number of jobs in an owner's turn. Jobs done together end together, and lead to one status write; single
// jobs would lead to many.
const jobsPerTurn = 16

// Pool performs jobs, a limited number at a time. Owners take turns, so that one with ten thousand jobs does not keep another
// waiting for its first. No owner gets all slots, and a slow job hands off its slot, so that owners with slow requests, for
// instance due to a hanging webhook, leave some to the others.
type Pool struct {
	mu      sync.Mutex
	ready   *sync.Cond
	queues  map[cache.ObjectName]*backlog
	turns   []cache.ObjectName // owners with waiting jobs; the first one has the turn
	done    int                // jobs of the current turn so far
	slots   slots
	workers sync.WaitGroup // one for each slot, and those whose job has handed off its slot
	closed  bool
	// DisableHandoff makes every job keep its slot until it ends. It is set before Run.
	DisableHandoff bool
}

// Job is a unit of work.
type Job struct {
	// Wanted reports whether the job will still make a request; one that will not does not count against its owner's turn. It is
	// called under the lock of the pool.
	Wanted func() bool
	Do     func(context.Context)
	// Bytes is the memory that the job takes while it is under way; 0 if it is small.
	Bytes int
}

// backlog has the jobs of an owner that have not begun. Creations come after all others: an attempt ends only when its failed
// Pod is gone, and pending creations may then not be wanted.
type backlog struct {
	others, creations []Job
}

func (b *backlog) len() int { return len(b.others) + len(b.creations) }

func (b *backlog) queue() *[]Job {
	if len(b.others) == 0 {
		return &b.creations
	}
	return &b.others
}

// first returns the job that next takes.
func (b *backlog) first() *Job { return &(*b.queue())[0] }

func (b *backlog) next() Job {
	from := b.queue()
	first := (*from)[0]
	(*from)[0] = Job{} // the queue keeps its memory, but not the memory of the job
	*from = (*from)[1:]
	return first
}

// NewPool returns a pool that begins no job before Run.
func NewPool() *Pool {
	p := &Pool{queues: map[cache.ObjectName]*backlog{}, slots: newSlots()}
	p.ready = sync.NewCond(&p.mu)
	return p
}

// Submit adds a job to its owner's queue; creations come after all others. After Close it does nothing.
func (p *Pool) Submit(owner cache.ObjectName, creates bool, j Job) {
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
		jobs.creations = append(jobs.creations, j)
	} else {
		jobs.others = append(jobs.others, j)
	}
	p.ready.Signal()
}

// Waiting reports whether a job of the owner has not begun.
func (p *Pool) Waiting(owner cache.ObjectName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queues[owner] != nil
}

// Run performs jobs, atATime at once, until Close is called, and returns when the jobs under way have ended. Jobs that have
// not begun by then are dropped.
func (p *Pool) Run(ctx context.Context, atATime int) {
	p.limit(atATime)
	for range atATime {
		p.workers.Go(func() { p.work(ctx) })
	}
	p.workers.Wait()
}

func (p *Pool) limit(atATime int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots.limit(atATime)
	if p.DisableHandoff {
		p.slots.mostHandedOff = 0
	}
}

// work performs jobs until Close is called, or its slot has been handed off.
func (p *Pool) work(ctx context.Context) {
	for do := p.next(); do != nil; do = p.next() {
		if handedOff := do(ctx); handedOff {
			return
		}
	}
}

// Close ends Run once the jobs under way have ended.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.ready.Broadcast()
}

// next waits for a job that may begin; nil after Close.
func (p *Pool) next() (do func(context.Context) (handedOff bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed && !p.choose() {
		p.ready.Wait()
	}
	if p.closed {
		return nil
	}
	owner := p.turns[0]
	jobs := p.queues[owner]
	first := jobs.next()
	n := p.slots.fitting(first.Bytes)
	p.slots.acquire(owner, n)
	p.pass(jobs.len() == 0, first.Wanted())
	return func(ctx context.Context) bool {
		h := &heldSlots{owner: owner, n: n}
		over := time.AfterFunc(handoffAfter, func() { p.handOff(ctx, h) })
		first.Do(ctx)
		over.Stop()
		return p.end(h)
	}
}

// heldSlots are the slots of a job under way.
type heldSlots struct {
	owner            cache.ObjectName
	n                int
	handedOff, ended bool
}

// handOff passes the slot of a slow job to another worker. If too many have been handed off, it tries again later.
func (p *Pool) handOff(ctx context.Context, h *heldSlots) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.ended || p.slots.mostHandedOff == 0 {
		return
	}
	if p.slots.handedOff >= p.slots.mostHandedOff {
		time.AfterFunc(handoffAfter, func() { p.handOff(ctx, h) })
		return
	}
	h.handedOff = true
	p.slots.handedOff++
	p.workers.Go(func() { p.work(ctx) })
}

// end reports whether the job's slot has been handed off.
func (p *Pool) end(h *heldSlots) (handedOff bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.ended = true
	p.slots.release(h.owner, h.n)
	if h.handedOff {
		p.slots.handedOff--
	}
	for range h.n {
		p.ready.Signal() // it may have had the last slot of its owner or namespace
	}
	return h.handedOff
}

// choose gives the turn to an owner who may begin a job. It returns false if there is none.
func (p *Pool) choose() bool {
	for i, owner := range p.turns {
		if !p.slots.fit(owner, p.slots.fitting(p.queues[owner].first().Bytes)) {
			continue
		}
		if i > 0 {
			p.turns, p.done = append(p.turns[i:], p.turns[:i]...), 0
		}
		return true
	}
	return false
}

// pass counts a job of the current turn, if it counts, and passes the turn on if that was the owner's last job or the last of
// the turn.
func (p *Pool) pass(last, counts bool) {
	if counts {
		p.done++
	}
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
