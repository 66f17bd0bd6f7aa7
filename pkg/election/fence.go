package election

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The reasons for not sending a write.
var (
	errStandingBy = errors.New("not sent: this controller stands by, and another one leads")
	errOver       = errors.New("not sent: this controller no longer leads")
)

type state int

const (
	standingBy state = iota
	leading
	draining // the lease is being given back, and no more writes begin
	lost     // like draining, but the next leader is unknown
)

// fence knows until when this process may write. Once ended, it never starts again.
type fence struct {
	timing Timing
	now    func() time.Duration // since any moment, monotonic; see sinceBoot

	revoked context.Context // ends when the lease is lost
	cancel  context.CancelFunc

	mu       sync.Mutex
	state    state
	end      time.Duration // end of the lease
	underWay int           // number of writes
	drained  chan struct{} // closed when it drains, and no write is under way
}

func newFence(t Timing, now func() time.Duration) *fence {
	f := &fence{timing: t, now: now, drained: make(chan struct{})}
	f.revoked, f.cancel = context.WithCancel(context.Background())
	return f
}

// renewed records that this process has the lease, as of the time when the request was sent.
func (f *fence) renewed(sent time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(sent)
	if f.state > leading {
		return
	}
	f.state, f.end = leading, sent+f.timing.LeaseDuration
}

// mayRenew returns the reason why the lease must no longer be taken or kept.
func (f *fence) mayRenew() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expire(f.now())
	if f.state > leading {
		return errOver
	}
	return nil
}

// expire loses the lease if it had expired at that time. Another process may have led since, and given it back: a former
// leader must not continue with its old memory. The watch may be late, as its timer stops while the machine is suspended. The
// caller holds the lock.
func (f *fence) expire(at time.Duration) {
	if f.state == leading && at >= f.end {
		f.state = lost
		f.cancel()
	}
}

// mayRelease returns the reason why others must not have the lease yet: writes may be under way.
func (f *fence) mayRelease() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state != draining || f.underWay > 0 {
		return errors.New("not given back: writes are still under way")
	}
	return nil
}

// begin admits a write if the lease lasts until the write is sure to have ended. ctx ends by then, or earlier when the lease
// is lost. The caller must call end when the write has ended.
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

// blocked returns the reason why no write may begin now.
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

// closeIfDrained signals that the fence is drained if no write is under way. The caller holds the lock.
func (f *fence) closeIfDrained() {
	if f.state == draining && f.underWay == 0 {
		close(f.drained)
	}
}

// drain admits no more writes, and waits for those under way, which have a timeout.
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

// revoke ends all writes for good. It has no effect on a drained fence.
func (f *fence) revoke() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == leading || f.state == draining && f.underWay > 0 {
		f.state = lost
		f.cancel()
	}
}

// expired reports whether the lease was held and has expired without having been given back. It uses the clock, as the
// observer may be late. Writes during draining may be late as well.
func (f *fence) expired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	writes := f.state == leading || f.state == draining && f.underWay > 0
	return f.state == lost || writes && f.now() >= f.end
}

// current returns the state, and since when the lease has been over; negative if it is not.
func (f *fence) current() (s state, over time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.now() - f.end
}

// watch loses the lease when it expires, even if nobody else notices. It returns when ctx ends.
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
