package controller

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// jobsPerTurn is how many jobs an owner has done before it is another's turn. What is done together comes back
// together, and so into one status write; jobs one by one would mean writes one by one.
const jobsPerTurn = 16

// pool performs jobs, so many at a time. Owners take turns, so that one with ten thousand jobs does not keep
// another waiting for its first. None has all places, and who takes long gives its place back, so that those whose requests
// are answered slowly, by a webhook that hangs for instance, leave some to the others.
type pool struct {
	mu      sync.Mutex
	ready   *sync.Cond
	queues  map[cache.ObjectName]*backlog
	turns   []cache.ObjectName // owners with jobs waiting, the one whose turn it is first
	done    int                // jobs that this one has had of its turn
	places  places
	workers sync.WaitGroup // one for each place that is not given back, and those with the jobs that are late
	closed  bool
	// patient: no job gives its place back.
	patient bool
}

// job is something to do.
type job struct {
	// wanted reports whether it still makes a request; one that does not takes nothing of its owner's turn.
	wanted func() bool
	do     func(context.Context)
	bytes  int // that it holds while it is under way, if they are many
}

// backlog are the jobs of an owner that have not begun yet. Creations come after all others: an attempt ends only when its
// failed Pod has gone, and of those that are still to be created none may be wanted then.
type backlog struct {
	others, creations []job
}

func (b *backlog) len() int { return len(b.others) + len(b.creations) }

func (b *backlog) queue() *[]job {
	if len(b.others) == 0 {
		return &b.creations
	}
	return &b.others
}

// first is the one that next takes out.
func (b *backlog) first() *job { return &(*b.queue())[0] }

func (b *backlog) next() job {
	from := b.queue()
	first := (*from)[0]
	(*from)[0] = job{} // the rest of the queue keeps its place in memory, but not what the job holds
	*from = (*from)[1:]
	return first
}

func newPool() *pool {
	p := &pool{queues: map[cache.ObjectName]*backlog{}, places: newPlaces()}
	p.ready = sync.NewCond(&p.mu)
	return p
}

// submit adds a job to its owner's queue. After close it does nothing.
func (p *pool) submit(owner cache.ObjectName, creates bool, j job) {
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

// waiting reports whether a job of the owner has not begun yet.
func (p *pool) waiting(owner cache.ObjectName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queues[owner] != nil
}

// run performs jobs, so many at a time, until close is called, and returns when the jobs under way have ended. Jobs not
// begun by then are dropped.
func (p *pool) run(ctx context.Context, atATime int) {
	p.limit(atATime)
	for range atATime {
		p.workers.Go(func() { p.work(ctx) })
	}
	p.workers.Wait()
}

func (p *pool) limit(atATime int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.places.limit(atATime)
	if p.patient {
		p.places.mostLate = 0
	}
}

// work performs jobs until close is called, or somebody else has got the place.
func (p *pool) work(ctx context.Context) {
	for do := p.next(); do != nil; do = p.next() {
		if replaced := do(ctx); replaced {
			return
		}
	}
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.ready.Broadcast()
}

// next waits for a job that may begin; nil after close.
func (p *pool) next() (do func(context.Context) (replaced bool)) {
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
	places := p.places.fitting(first.bytes)
	p.places.take(owner, places)
	p.pass(jobs.len() == 0, first.wanted())
	return func(ctx context.Context) bool {
		h := &holder{owner: owner, places: places}
		over := time.AfterFunc(longestJob, func() { p.replace(ctx, h) })
		first.do(ctx)
		over.Stop()
		return p.end(h)
	}
}

// holder is a job under way that has a place, or had one.
type holder struct {
	owner       cache.ObjectName
	places      int // that it has taken
	late, ended bool
}

// replace gives the place of a job that takes long to another worker. If too many are late, it tries again later.
func (p *pool) replace(ctx context.Context, h *holder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.ended || p.places.mostLate == 0 {
		return
	}
	if p.places.late >= p.places.mostLate {
		time.AfterFunc(longestJob, func() { p.replace(ctx, h) })
		return
	}
	h.late = true
	p.places.late++
	p.workers.Go(func() { p.work(ctx) })
}

// end returns whether somebody else has got the job's place.
func (p *pool) end(h *holder) (replaced bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.ended = true
	p.places.leave(h.owner, h.places)
	if h.late {
		p.places.late--
	}
	for range h.places {
		p.ready.Signal() // it may have had the last that its owner or namespace may have
	}
	return h.late
}

// choose makes it the turn of somebody who may begin a job. It returns false if there is nobody.
func (p *pool) choose() bool {
	for i, owner := range p.turns {
		if !p.places.open(owner, p.places.fitting(p.queues[owner].first().bytes)) {
			continue
		}
		if i > 0 {
			p.turns, p.done = append(p.turns[i:], p.turns[:i]...), 0
		}
		return true
	}
	return false
}

// pass counts a job of the owner whose turn it is, if it counts, and passes the turn on if it was its last, or enough.
func (p *pool) pass(last, counts bool) {
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
