package barrier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/hashicorp/go-hclog"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Times of waiting.
const (
	// A watch is renewed after a time between these. So a Framework that has gone is noticed, or a controller that has been
	// replaced by one without gates; and not by all barriers at the same moment.
	watchLeast, watchMost = 4 * time.Minute, 6 * time.Minute
	// That of another Framework which is ready but for its gate: it may be about to complete, and then opens none.
	watchBetween = 30 * time.Second
	// Pauses after something broke.
	pauseLeast, pauseMost = 500 * time.Millisecond, 5 * time.Second
	// A watch that has lasted so long was in order: what comes after it is no repetition.
	watchInOrder = 10 * time.Second
	// For how long a Framework that has never been seen may be forbidden: permissions that are applied together with it are
	// there by then, and others do not come by themselves.
	forbiddenMost = 30 * time.Second
	// How often to say that we are still there.
	heartbeat = time.Minute
)

// waiter waits for one Framework.
type waiter struct {
	client   *client
	settings Settings
	log      hclog.Logger
	insists  time.Duration // how long to try for an answer at the deadline
	pauses   pauses
	forgives time.Duration // for how long it may be forbidden

	forbidden time.Time // since when it is; zero if it is not
	exists    bool      // it has been seen
	looked    bool      // without reading all of it
	polling   bool      // has been told
	told      counts    // last in the log
	fault     string    // likewise

	toldRole string // likewise
}

func newWaiter(c *client, s Settings, log hclog.Logger) *waiter {
	return &waiter{client: c, settings: s, log: log, insists: lastLookTime, pauses: pauses{pauseLeast, pauseMost},
		forgives: forbiddenMost, told: nothingTold}
}

// nothingTold differs from all counts, also from those of a Framework without Tasks.
var nothingTold = counts{-1, -1}

// What ends a round.
var (
	// errUngated: the gate cannot be waited for.
	errUngated = errors.New("the gate is not in use")
	// errClosed: the gate is not open any more, or the Framework is gone.
	errClosed = errors.New("the gate has closed again")
	errEnded  = errors.New("the watch has ended")
	// errOnceMore: the gate was not in use, and an interval has passed.
	errOnceMore = errors.New("the gate may be in use now")
	// errForbidden: the account of this Pod may not read the Framework, and that has lasted.
	errForbidden = errors.New("the ServiceAccount of this Pod may not get frameworks: bind a Role to it that allows get, list and watch of frameworks")
)

// wait returns the Framework once it is ready, or an error once it is known not to exist or ctx ends.
func (w *waiter) wait(ctx context.Context) (*framework, error) {
	defer w.beat()()
	pause := w.pauses.begin()
	for {
		start := time.Now()
		f, err := w.round(ctx)
		if errors.Is(err, errUngated) {
			f, err = w.poll(ctx, err)
		}
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, errNotFound) || ctx.Err() != nil:
			return nil, err
		case w.isForbidden(err):
			return nil, fmt.Errorf("%w: %w", errForbidden, err)
		case errors.Is(err, errOnceMore):
			continue
		case time.Since(start) > watchInOrder:
			pause.Reset()
		}
		w.logFault(err)
		if err := sleep(ctx, longer(pause.NextBackOff(), err)); err != nil {
			return nil, err
		}
	}
}

// isForbidden reports whether the Framework has been forbidden for so long that it will stay so. What was permitted before is
// forbidden by an API server that is about to start, and is waited for.
func (w *waiter) isForbidden(err error) bool {
	switch {
	case w.exists || refusedWith(err) != http.StatusForbidden:
		w.forbidden = time.Time{}
		return false
	case w.forbidden.IsZero():
		w.forbidden = time.Now()
		w.log.Warn("not permitted to read the framework, giving up if that lasts", "seconds", w.forgives.Seconds(), "error", err)
		w.fault = err.Error()
	}
	return time.Since(w.forbidden) >= w.forgives
}

// round looks at the Framework and then watches it.
func (w *waiter) round(ctx context.Context) (*framework, error) {
	seen, err := w.client.look(ctx)
	if err != nil {
		return nil, w.notSeen(err)
	}
	w.exists, w.looked = true, true
	if seen.ungated {
		return nil, fmt.Errorf("%w: its controller does not count Tasks", errUngated)
	}
	if w.owns(seen.uid) {
		gate := fields.OneTermEqualSelector("status.gate", w.settings.OwnAttempt)
		f, err := w.watch(ctx, gate, seen.resourceVersion, renewal(), w.passed)
		if err != nil {
			return nil, err
		}
		return w.ofRole(ctx, f)
	}
	return w.ofOthers(ctx)
}

// owns reports whether this Pod is known to belong to the Framework of that UID.
func (w *waiter) owns(uid string) bool {
	return w.settings.OwnAttempt != "" && uid == w.settings.OwnUID
}

// released reports whether the gang is complete, by what was read without waiting for the gate.
func (w *waiter) released(f *framework) bool {
	return w.mayStart(f) && w.passed(f) && (w.owns(f.uid) || f.current())
}

func renewal() time.Duration { return watchLeast + rand.N(watchMost-watchLeast) }

// ofOthers waits for a Framework that this Pod is not known to belong to. It has no open gate when it has completed, but
// then it may be ready all the same.
func (w *waiter) ofOthers(ctx context.Context) (*framework, error) {
	f, err := w.get(ctx)
	if err != nil {
		return nil, err
	}
	last := renewal()
	switch ready := w.passed(f); {
	case ready && f.current():
		return f, nil
	case ready:
		last = watchBetween
	}
	return w.watch(ctx, fields.OneTermNotEqualSelector("status.gate", ""), f.resourceVersion, last, w.passed)
}

// notSeen says what an error of the first look means. What was permitted before is forbidden by an API server that is
// about to start.
func (w *waiter) notSeen(err error) error {
	if refusedWith(err) == http.StatusForbidden && !w.looked {
		return fmt.Errorf("%w: %w", errUngated, err)
	}
	return w.absence(err)
}

// get reads the whole Framework.
func (w *waiter) get(ctx context.Context) (*framework, error) {
	f, err := w.client.get(ctx)
	w.exists = w.exists || err == nil
	return f, w.absence(err)
}

// absence says whether an error means that there is no such Framework: if the answer is about it, or if not even its
// kind is known. But once it has been seen, the latter is what an API server says that is about to start.
func (w *waiter) absence(err error) error {
	r := (*refusal)(nil)
	if errors.As(err, &r) && r.code == http.StatusNotFound && (r.name == w.settings.Name || !w.exists) {
		return fmt.Errorf("%w: %w", errNotFound, err)
	}
	return err
}

// watch returns the Framework once the gate is open and it will do. What is older than the version that has
// been seen is not taken: a watch may begin with it, and it may have the address of this Pod's predecessor.
func (w *waiter) watch(ctx context.Context, gate fields.Selector, seen string, last time.Duration, willDo func(*framework) bool) (found *framework, err error) {
	w.log.Debug("watching", "selector", gate.String(), "seconds", last.Seconds())
	err = w.client.watch(ctx, gate.String(), last, func(e event) error {
		switch e.kind {
		case "DELETED":
			return errClosed
		case "ADDED", "MODIFIED":
		default: // a bookmark
			return nil
		}
		f, err := e.framework()
		if err != nil {
			return fmt.Errorf("%w: %w", errUngated, err) // reading it again and again would be the same
		}
		if older(f.resourceVersion, seen) || !willDo(f) {
			return nil
		}
		found = f
		return errFound
	})
	switch {
	case found != nil:
		return found, nil
	case err == nil:
		return nil, errEnded
	case refusedWith(err) == http.StatusBadRequest || refusedWith(err) == http.StatusForbidden:
		return nil, fmt.Errorf("%w: %w", errUngated, err)
	}
	return nil, err
}

var errFound = errors.New("found")

// older reports whether a version is known to be older than another.
func older(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}

// poll reads the Framework, as the original does at every interval, and returns after one unless it is ready: the gate
// may be in use by then, for another controller has taken over, permissions have come, or the API server has started.
func (w *waiter) poll(ctx context.Context, because error) (*framework, error) {
	f, err := w.get(ctx)
	switch {
	case errors.Is(err, errNotFound) || refusedWith(err) == http.StatusForbidden:
		return nil, err
	case err == nil && w.released(f):
		return f, nil
	case err != nil && ctx.Err() == nil:
		w.logFault(err)
	case !w.polling:
		w.log.Info("polling the whole framework", "because", because, "interval", w.settings.Interval)
		w.polling = true
	}
	if err == nil {
		w.tellRole(f)
	}
	if err := sleep(ctx, longer(w.settings.Interval, err)); err != nil {
		return nil, err
	}
	return nil, errOnceMore
}

// passed applies the ready rule, and tells the counts if they have changed.
func (w *waiter) passed(f *framework) bool {
	c := f.count()
	if c != w.told {
		w.log.Info("tasks with an address", "ready", c.ready, "total", c.total)
		w.told = c
	}
	return c.passed()
}

// logFault logs what is in the way, once as long as it is the same.
func (w *waiter) logFault(err error) {
	if errors.Is(err, errEnded) || errors.Is(err, errClosed) || err.Error() == w.fault {
		w.log.Debug("once more", "because", err)
		return
	}
	w.fault = err.Error()
	w.log.Warn("cannot see the framework, trying again", "error", err)
}

// beat logs now and then that the barrier still waits, until the returned function is called.
func (w *waiter) beat() (stop func()) {
	start, ticker, done := time.Now(), time.NewTicker(heartbeat), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				w.log.Info("still waiting", "since", time.Since(start).Round(time.Second), "timeout", w.settings.Timeout)
			case <-done:
				ticker.Stop()
				return
			}
		}
	}()
	return func() { close(done) }
}

// pauses double from the least to the most, each up to half longer or shorter.
type pauses struct{ least, most time.Duration }

func (p pauses) begin() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(p.least),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(p.most),
		backoff.WithMaxElapsedTime(0),
	)
}

// longer is the pause, or as long as the server asks for if that is more, spread over as long again.
func longer(pause time.Duration, err error) time.Duration {
	if r := (*refusal)(nil); errors.As(err, &r) && r.after > pause {
		return r.after + rand.N(r.after)
	}
	return pause
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
