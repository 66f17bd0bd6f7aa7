package election

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

// lock is the Lease; it passes the results of client-go's requests to the fence.
type lock struct {
	resourcelock.Interface
	fence *fence

	mu         sync.Mutex
	holder     string        // holder as last read or written; empty for nobody
	tried      time.Duration // when it was last asked for
	last       string        // verb of the last request
	leaseError leaseError
}

// leaseError is a failure of requests for the Lease.
type leaseError struct {
	verb  string
	err   error // may be nil
	since time.Duration
}

type record = resourcelock.LeaderElectionRecord

func (l *lock) Get(ctx context.Context) (*record, []byte, error) {
	l.noteTry()
	r, raw, err := l.Interface.Get(ctx)
	l.note("get", err)
	if err != nil {
		return nil, nil, err
	}
	l.noteHolder(r.HolderIdentity)
	if l.other() != "" {
		// If this process led, it was replaced, for instance because somebody has deleted the Lease. client-go would try to renew it until
		// the deadline, and writes would continue beside the new leader's.
		l.fence.revoke()
	}
	return r, raw, nil
}

func (l *lock) Create(ctx context.Context, r record) error {
	return l.acquire("create", func() error { return l.Interface.Create(ctx, r) })
}

func (l *lock) Update(ctx context.Context, r record) error {
	if r.HolderIdentity == "" {
		return l.release(ctx, r)
	}
	return l.acquire("update", func() error { return l.Interface.Update(ctx, r) })
}

// acquire takes the lease, or renews it.
func (l *lock) acquire(verb string, write func() error) error {
	if err := l.fence.mayRenew(); err != nil {
		return err
	}
	l.noteTry()
	sent := l.fence.now()
	err := write()
	l.note(verb, err)
	if err == nil {
		l.noteHolder(l.Identity())
		l.fence.renewed(sent)
	}
	return err
}

// release gives the lease back, if the last read shows that it is still this process's. client-go also tries this when it
// could not renew it in time, but then requests of ours may still be under way.
func (l *lock) release(ctx context.Context, r record) error {
	if err := l.fence.mayRelease(); err != nil {
		return err
	}
	again := false
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if again {
			// A renewal that was abandoned when the work ended may have arrived. A later one is refused.
			if _, _, err := l.Get(ctx); err != nil {
				return err
			}
		}
		again = true
		if l.heldBy() != l.Identity() {
			return nil
		}
		return l.Interface.Update(ctx, r)
	})
}

func (l *lock) noteHolder(holder string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder = holder
}

// heldBy returns the holder of the lease, as far as known; empty for nobody.
func (l *lock) heldBy() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder
}

// other returns the holder of the lease if it is another process, as far as known; empty otherwise.
func (l *lock) other() string {
	if holder := l.heldBy(); holder != l.Identity() {
		return holder
	}
	return ""
}

func (l *lock) noteTry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried = l.fence.now()
}

// note records the result of a request. It is no error if somebody else was faster.
func (l *lock) note(verb string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Two reads without a write in between mean that somebody else holds it. In that state, a write that has failed earlier is not tried,
	// and nothing else shows that writes work again.
	held := verb == "get" && l.last == verb
	l.last = verb
	switch fine := err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err); {
	case fine && (held || l.leaseError.verb == verb):
		l.leaseError = leaseError{}
	case !fine && l.leaseError.verb != verb:
		l.leaseError = leaseError{verb, err, l.fence.now()}
	case !fine:
		l.leaseError.err = err
	}
}

// unusable returns an error if requests for the Lease have failed for longer than patience; nil otherwise.
func (l *lock) unusable(patience time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	age := l.fence.now() - l.leaseError.since
	if l.leaseError.err == nil || age <= patience {
		return nil
	}
	return fmt.Errorf("to %s the lease has failed for %s: %w", l.leaseError.verb, age.Round(time.Second), l.leaseError.err)
}

// idle returns the time since the last request for the lease.
func (l *lock) idle() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fence.now() - l.tried
}
