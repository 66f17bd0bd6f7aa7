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
// another waiting for its first. None has all places, so that one whose requests are answered slowly, by a webhook that
// hangs for instance, leaves some to the others.
type pool struct {
	mu       sync.Mutex
	ready    *sync.Cond
	queues   map[cache.ObjectName]*backlog
	turns    []cache.ObjectName       // owners with jobs waiting, the one whose turn it is first
	done     int                      // jobs that this one has had of its turn
	underWay map[cache.ObjectName]int // jobs that have begun and not ended
	most     int                      // of them for one owner; 0 before run
	closed   bool
}

// job is something to do.
type job struct {
	// wanted reports whether it still makes a request; one that does not takes nothing of its owner's turn.
	wanted func() bool
	do     func(context.Context)
}

// backlog are the jobs of an owner that have not begun yet. Creations come after all others: an attempt ends only when its
// failed Pod has gone, and of those that are still to be created none may be wanted then.
type backlog struct {
	others, creations []job
}

func (b *backlog) len() int { return len(b.others) + len(b.creations) }

// next takes out the first.
func (b *backlog) next() job {
	from := &b.others
	if len(b.others) == 0 {
		from = &b.creations
	}
	first := (*from)[0]
	(*from)[0] = job{} // the rest of the queue keeps its place in memory, but not what the job holds
	*from = (*from)[1:]
	return first
}

func newPool() *pool {
	p := &pool{queues: map[cache.ObjectName]*backlog{}, underWay: map[cache.ObjectName]int{}}
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

// run performs jobs with so many workers until close is called, and returns when the jobs under way have
// ended. Jobs not begun by then are dropped.
func (p *pool) run(ctx context.Context, workers int) {
	p.limit(max(workers*3/4, 1))
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for do := p.next(); do != nil; do = p.next() {
				do(ctx)
			}
		})
	}
	running.Wait()
}

func (p *pool) limit(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = most
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.ready.Broadcast()
}

// next waits for a job that may begin; nil after close.
func (p *pool) next() func(context.Context) {
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
	p.underWay[owner]++
	p.pass(jobs.len() == 0, first.wanted())
	return func(ctx context.Context) {
		defer p.end(owner)
		first.do(ctx)
	}
}

// choose makes it the turn of somebody who may begin a job. It returns false if there is nobody.
func (p *pool) choose() bool {
	for i, owner := range p.turns {
		if p.most > 0 && p.underWay[owner] >= p.most {
			continue
		}
		if i > 0 {
			p.turns, p.done = append(p.turns[i:], p.turns[:i]...), 0
		}
		return true
	}
	return false
}

func (p *pool) end(owner cache.ObjectName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.underWay[owner]--; p.underWay[owner] == 0 {
		delete(p.underWay, owner)
	}
	p.ready.Signal() // it may have been the owner's last place
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
