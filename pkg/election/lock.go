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

// lock is the Lease, with what client-go does to it told to the fence.
type lock struct {
	resourcelock.Interface
	fence *fence

	mu         sync.Mutex
	holder     string        // as last read or written; empty for nobody
	tried      time.Duration // when it was last asked for
	last       string        // verb of the last request
	leaseError leaseError
}

// leaseError is what about the Lease does not work.
type leaseError struct {
	verb  string
	err   error // nil if there is none
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
		// If this process led, it was taken away, as when somebody has deleted the Lease. client-go would try until the
		// deadline to renew it, and writes would go on beside those of the other one.
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

// release gives the lease back, if it is still this process's as just read. client-go also tries to when it could not
// renew it in time, but then requests of ours may still be under way.
func (l *lock) release(ctx context.Context, r record) error {
	if err := l.fence.mayRelease(); err != nil {
		return err
	}
	again := false
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if again {
			// A renewal that was abandoned when the work ended has arrived. One that arrives later is refused.
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

// heldBy is who holds the lease, as far as known; empty for nobody.
func (l *lock) heldBy() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder
}

// other is who else holds the lease, as far as known; empty for nobody.
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

// note enters what came of a request. That somebody else was faster is no error.
func (l *lock) note(verb string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// It was read twice and not asked for in between, so somebody else holds it. A write that has failed before is not
	// tried while that is so, and nothing else tells that it works again.
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

// unusable says what about the Lease has not worked for so long; nil if all does.
func (l *lock) unusable(patience time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	age := l.fence.now() - l.leaseError.since
	if l.leaseError.err == nil || age <= patience {
		return nil
	}
	return fmt.Errorf("to %s the lease has failed for %s: %w", l.leaseError.verb, age.Round(time.Second), l.leaseError.err)
}

// idle is how long the lease was not asked for.
func (l *lock) idle() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fence.now() - l.tried
}
