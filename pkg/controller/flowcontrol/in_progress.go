package flowcontrol

import (
	"sync"
	"time"
)

// InProgress tracks work that has begun and not ended yet. The zero value is usable.
type InProgress[K comparable] struct {
	mu    sync.Mutex
	since map[K]time.Time
	begun uint64 // total number
}

// Begin records that k has begun. It must not be in progress.
func (p *InProgress[K]) Begin(k K, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since == nil {
		p.since = map[K]time.Time{}
	}
	p.since[k] = now
	p.begun++
}

// End records that k has ended.
func (p *InProgress[K]) End(k K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, k)
}

// Oldest returns the number in progress, and the oldest of them; zero values if there is none.
func (p *InProgress[K]) Oldest() (n int, oldest K, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, t := range p.since {
		if since.IsZero() || t.Before(since) {
			oldest, since = k, t
		}
	}
	return len(p.since), oldest, since
}

// Count returns the number in progress.
func (p *InProgress[K]) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.since)
}

// Begun returns the total number that has ever begun.
func (p *InProgress[K]) Begun() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}
