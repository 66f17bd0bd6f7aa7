package election

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// startFence returns a fence that lives on the clock of the test's bubble.
func startFence() *fence {
	begin := time.Now()
	return newFence(Defaults, func() time.Duration { return time.Since(begin) })
}

// requireRefused requires that no write may begin, for that reason.
func requireRefused(t *testing.T, f *fence, want string) {
	t.Helper()
	_, end, err := f.begin(t.Context())
	if err == nil {
		end()
		t.Errorf("a write may begin, want: %s", want)
	} else if err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func requireAdmitted(t *testing.T, f *fence) (ctx context.Context, end func()) {
	t.Helper()
	ctx, end, err := f.begin(t.Context())
	require.NoError(t, err)
	return ctx, end
}

// A write may begin as long as the lease lasts until the write has ended, counted from when the renewal was sent.
func TestWritesNeedALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFence()
		requireRefused(t, f, "not sent: this controller stands by, and another one leads")
		sent := f.now()
		time.Sleep(2 * time.Second) // the answer is slow
		f.renewed(sent)
		time.Sleep(3500 * time.Millisecond)
		_, end := requireAdmitted(t, f)
		end()
		time.Sleep(time.Millisecond)
		requireRefused(t, f, "not sent: the lease was not renewed for 5.501s")
		if f.expired() {
			t.Error("the lease is over too early")
		}
		f.renewed(f.now())
		_, end = requireAdmitted(t, f)
		end()
		time.Sleep(Defaults.LeaseDuration)
		if !f.expired() {
			t.Error("the lease is over, and the fence does not say so")
		}
	})
}

// If the lease is no longer renewed, a write that hangs ends before the lease does.
func TestWritesEndBeforeTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFence()
		f.renewed(f.now())
		time.Sleep(Defaults.LeaseDuration - Defaults.RequestTimeout())
		ctx, end := requireAdmitted(t, f)
		defer end()
		<-ctx.Done()
		if left := f.end - f.now(); left < 0 {
			t.Errorf("the write has ended %s after the lease", -left)
		}
	})
}

// When the lease is lost, writes under way are aborted, and none begins again, whatever late answers say.
func TestLostForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFence()
		f.renewed(f.now())
		ctx, end := requireAdmitted(t, f)
		f.revoke()
		synctest.Wait()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("a write goes on: %v", ctx.Err())
		}
		end()
		f.renewed(f.now())
		requireRefused(t, f, "not sent: this controller no longer leads")
		if f.mayRenew() == nil || f.mayRelease() == nil {
			t.Error("the lease may be renewed, or given back")
		}
		f.drain() // does not wait
	})
}

// An expired lease is not renewed, although nothing has noticed yet that it has expired: another one may have led meanwhile.
func TestLapseIsForGood(t *testing.T) {
	for name, renew := range map[string]func(*fence) error{
		"before it is asked for": (*fence).mayRenew,
		"when the answer comes": func(f *fence) error {
			f.renewed(f.now())
			return f.mayRenew()
		},
	} {
		t.Run(name, func(t *testing.T) {
			clock := time.Hour
			f := newFence(Defaults, func() time.Duration { return clock })
			f.renewed(clock)
			clock += Defaults.LeaseDuration - time.Nanosecond
			require.NoError(t, f.mayRenew())
			clock += time.Nanosecond
			if err := renew(f); !errors.Is(err, errOver) {
				t.Errorf("the lease may be renewed: %v", err)
			}
			requireRefused(t, f, "not sent: this controller no longer leads")
			if f.revoked.Err() == nil {
				t.Error("what is under way goes on")
			}
		})
	}
}

// The lease is given back when the writes under way have ended, and no write begins then.
func TestDrainedFenceAdmitsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFence()
		f.renewed(f.now())
		_, end := requireAdmitted(t, f)
		if f.mayRelease() == nil {
			t.Error("the lease may be given back while the work goes on")
		}
		draining := make(chan struct{})
		go func() {
			f.drain()
			close(draining)
		}()
		synctest.Wait()
		requireRefused(t, f, "not sent: this controller no longer leads")
		if f.mayRelease() == nil {
			t.Error("the lease may be given back while a write is under way")
		}
		end()
		<-draining
		if err := f.mayRelease(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		f.revoke()
		if f.expired() {
			t.Error("what was given back counts as lost")
		}
	})
}

// A write that is under way while the fence drains sends nothing after the lease.
func TestLapseWhileSealing(t *testing.T) {
	clock := time.Hour
	f := newFence(Defaults, func() time.Duration { return clock })
	f.renewed(clock)
	_, end := requireAdmitted(t, f)
	go f.drain()
	for s, _ := f.current(); s != draining; s, _ = f.current() {
		time.Sleep(time.Millisecond)
	}
	if f.expired() {
		t.Error("the lease is over too early")
	}
	clock += Defaults.LeaseDuration
	if !f.expired() {
		t.Error("the lease is over, and the fence does not say so")
	}
	end()
}

// The watch loses the lease when it expires, and not while it is renewed.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFence()
		f.renewed(f.now())
		go f.watch(t.Context())
		for range 20 {
			time.Sleep(Defaults.LeaseDuration - time.Millisecond)
			f.renewed(f.now())
		}
		if f.revoked.Err() != nil {
			t.Fatal("the lease was renewed, and is lost")
		}
		begin := f.now()
		<-f.revoked.Done()
		if took := f.now() - begin; took != Defaults.LeaseDuration {
			t.Errorf("lost after %s", took)
		}
	})
}

func TestTiming(t *testing.T) {
	if err := Defaults.Validate(); err != nil {
		t.Error(err)
	}
	if got := Defaults.RequestTimeout(); got >= Defaults.LeaseDuration-Defaults.RenewDeadline {
		t.Errorf("writes may take %s", got)
	}
}
