package election

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Why a write is not sent.
var (
	errStandingBy = errors.New("not sent: this controller stands by, and another one leads")
	errOver       = errors.New("not sent: this controller does not lead any more")
)

type state int

const (
	standingBy state = iota
	leading
	draining // it gives the lease back, and writes nothing more
	lost     // as draining, but nobody knows who leads
)

// fence knows until when this process may write. What has ended, ends for good.
type fence struct {
	timing Timing
	now    func() time.Duration // since any moment, and never back; see sinceBoot

	revoked context.Context // ends when the lease is lost
	cancel  context.CancelFunc

	mu       sync.Mutex
	state    state
	end      time.Duration // of the lease
	underWay int           // writes
	drained  chan struct{} // closed when it drains, and no write is under way
}

func newFence(t Timing, now func() time.Duration) *fence {
	f := &fence{timing: t, now: now, drained: make(chan struct{})}
	f.revoked, f.cancel = context.WithCancel(context.Background())
	return f
}

// renewed notes that the lease is this process's, as of a request that was sent at that time.
func (f *fence) renewed(sent time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(sent)
	if f.state > leading {
		return
	}
	f.state, f.end = leading, sent+f.timing.LeaseDuration
}

// mayRenew says why the lease must not be taken, or kept, any more.
func (f *fence) mayRenew() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(f.now())
	if f.state > leading {
		return errOver
	}
	return nil
}

// expire loses the lease if it was over at that time. Another one may have led since, and given it back: whoever led before
// must not go on with what it remembers. The watch may be late, as its timer stands still while the machine is suspended.
// The caller holds the lock.
func (f *fence) expire(at time.Duration) {
	if f.state == leading && at >= f.end {
		f.state = lost
		f.cancel()
	}
}

// mayRelease says why others must not have the lease yet: writes may be under way.
func (f *fence) mayRelease() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state != draining || f.underWay > 0 {
		return errors.New("not given back: what was sent has not ended yet")
	}
	return nil
}

// begin admits a write, if the lease lasts until the write is sure to have ended. ctx ends by then, and when the lease
// is lost before. end has to be called when the write has ended.
func (f *fence) begin(parent context.Context) (ctx context.Context, end func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.blockedLocked(); err != nil {
		return nil, nil, err
	}
	f.underWay++
	ctx, cancel := context.WithTimeout(parent, f.timing.RequestTimeout())
	unbind := context.AfterFunc(f.revoked, cancel)
	return ctx, sync.OnceFunc(func() {
		unbind()
		cancel()
		f.done()
	}), nil
}

// blockedLocked is blocked for a caller that holds the lock.
func (f *fence) blockedLocked() error {
	switch f.state {
	case standingBy:
		return errStandingBy
	case draining, lost:
		return errOver
	}
	if left := f.end - f.now(); left < f.timing.RequestTimeout() {
		return fmt.Errorf("not sent: the lease was not renewed for %s", (f.timing.LeaseDuration - left).Round(time.Millisecond))
	}
	return nil
}

// blocked says why no write may begin now.
func (f *fence) blocked() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blockedLocked()
}

func (f *fence) done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.underWay--
	f.closeIfDrained()
}

// closeIfDrained tells whoever drains the fence that no write is under way. The caller holds the lock.
func (f *fence) closeIfDrained() {
	if f.state == draining && f.underWay == 0 {
		close(f.drained)
	}
}

// drain admits no more writes, and waits until those under way have ended, which have a timeout.
func (f *fence) drain() {
	f.mu.Lock()
	if f.state <= leading {
		f.state = draining
		f.closeIfDrained()
	}
	f.mu.Unlock()
	select {
	case <-f.drained:
	case <-f.revoked.Done():
	}
}

// revoke ends all writes, for good. It does nothing to a fence that is drained.
func (f *fence) revoke() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == leading || f.state == draining && f.underWay > 0 {
		f.state = lost
		f.cancel()
	}
}

// expired reports whether the lease was held, and is over without having been given back. It goes by the clock, as
// whoever is to notice may be late. What is written while the fence drains may be late as well.
func (f *fence) expired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	writes := f.state == leading || f.state == draining && f.underWay > 0
	return f.state == lost || writes && f.now() >= f.end
}

// current is the state, and since when the lease is over; negative if it is not.
func (f *fence) current() (s state, over time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.now() - f.end
}

// watch loses the lease when it is over, whoever else should have noticed. It returns when ctx ends.
func (f *fence) watch(ctx context.Context) {
	for {
		_, over := f.current()
		if over >= 0 {
			f.revoke()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(-over):
		}
	}
}
