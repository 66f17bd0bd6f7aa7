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
	sealed // it gives the lease back, and writes nothing more
	lost   // as sealed, but nobody knows who leads
)

// fence knows until when this process may write. What has ended, ends for good.
type fence struct {
	timing Timing
	now    func() time.Duration // since any moment, and never back; see sinceBoot

	gone   context.Context // ends when the lease is lost
	cancel context.CancelFunc

	mu       sync.Mutex
	state    state
	end      time.Duration // of the lease
	underWay int           // writes
	calm     chan struct{} // closed when it is sealed, and no write is under way
}

func newFence(t Timing, now func() time.Duration) *fence {
	f := &fence{timing: t, now: now, calm: make(chan struct{})}
	f.gone, f.cancel = context.WithCancel(context.Background())
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
	if f.state != sealed || f.underWay > 0 {
		return errors.New("not given back: what was sent has not ended yet")
	}
	return nil
}

// begin admits a write, if the lease lasts until the write is sure to have ended. ctx ends by then, and when the lease
// is lost before. end has to be called when the write has ended.
func (f *fence) begin(parent context.Context) (ctx context.Context, end func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refusal(); err != nil {
		return nil, nil, err
	}
	f.underWay++
	ctx, cancel := context.WithTimeout(parent, f.timing.RequestTimeout())
	unbind := context.AfterFunc(f.gone, cancel)
	return ctx, sync.OnceFunc(func() {
		unbind()
		cancel()
		f.finished()
	}), nil
}

// refusal says why no write may begin now. The caller holds the lock.
func (f *fence) refusal() error {
	switch f.state {
	case standingBy:
		return errStandingBy
	case sealed, lost:
		return errOver
	}
	if left := f.end - f.now(); left < f.timing.RequestTimeout() {
		return fmt.Errorf("not sent: the lease was not renewed for %s", (f.timing.LeaseDuration - left).Round(time.Millisecond))
	}
	return nil
}

// doubt says why no write may begin now.
func (f *fence) doubt() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refusal()
}

func (f *fence) finished() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.underWay--
	f.settle()
}

// settle tells whoever seals the fence that it is calm. The caller holds the lock.
func (f *fence) settle() {
	if f.state == sealed && f.underWay == 0 {
		close(f.calm)
	}
}

// seal admits no more writes, and waits until those under way have ended, which have a timeout.
func (f *fence) seal() {
	f.mu.Lock()
	if f.state <= leading {
		f.state = sealed
		f.settle()
	}
	f.mu.Unlock()
	select {
	case <-f.calm:
	case <-f.gone.Done():
	}
}

// lose ends all writes, for good. It does nothing to a fence that is sealed and calm.
func (f *fence) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == leading || f.state == sealed && f.underWay > 0 {
		f.state = lost
		f.cancel()
	}
}

// lapsed reports whether the lease was held, and is over without having been given back. It goes by the clock, as
// whoever is to notice may be late. What is written while the fence is being sealed may be late as well.
func (f *fence) lapsed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	writes := f.state == leading || f.state == sealed && f.underWay > 0
	return f.state == lost || writes && f.now() >= f.end
}

// standing is the state, and since when the lease is over; negative if it is not.
func (f *fence) standing() (s state, over time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.now() - f.end
}

// watch loses the lease when it is over, whoever else should have noticed. It returns when ctx ends.
func (f *fence) watch(ctx context.Context) {
	for {
		_, over := f.standing()
		if over >= 0 {
			f.lose()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(-over):
		}
	}
}
