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
	// A watch is renewed after a time in this range. So the barrier notices a deleted Framework, or a controller
	// replaced by one without gates; and not all barriers renew at the same moment.
	watchLeast, watchMost = 4 * time.Minute, 6 * time.Minute
	// The time for another Framework that is ready except for its gate: it may be about to complete, and then opens
	// none.
	watchBetween = 30 * time.Second
	// Pauses after something broke.
	pauseLeast, pauseMost = 500 * time.Millisecond, 5 * time.Second
	// A watch that lasted this long was in order: the next one is not a repetition.
	watchInOrder = 10 * time.Second
	// How long the barrier retries when it is forbidden to read a Framework that it has never read: permissions that are applied together
	// with it exist by then; missing ones have to be added by somebody.
	forbiddenMost = 30 * time.Second
	// Interval of the log line that the barrier still waits.
	heartbeat = time.Minute
)

// waiter waits for one Framework.
type waiter struct {
	client   *client
	settings Settings
	log      hclog.Logger
	insists  time.Duration // how long to retry the read at the deadline
	pauses   pauses
	forgives time.Duration // how long it retries when forbidden

	forbidden time.Time // since when it is forbidden; zero if it is not
	exists    bool      // it has been seen
	looked    bool      // it has been read in part
	polling   bool      // has been logged
	told      counts    // last in the log
	fault     string    // likewise

	toldRole string // likewise
}

func newWaiter(c *client, s Settings, log hclog.Logger) *waiter {
	return &waiter{client: c, settings: s, log: log, insists: lastLookTime, pauses: pauses{pauseLeast, pauseMost},
		forgives: forbiddenMost, told: nothingTold}
}

// nothingTold is no possible count: before the first log line, no counts have been logged.
var nothingTold = counts{-1, -1}

// Errors that end a round.
var (
	// errUngated means that the gate cannot be waited for.
	errUngated = errors.New("the gate is not in use")
	// errClosed means that the gate is no longer open, or the Framework is gone.
	errClosed = errors.New("the gate has closed again")
	errEnded  = errors.New("the watch has ended")
	// errOnceMore means that the gate was not in use, and an interval has passed.
	errOnceMore = errors.New("the gate may be in use now")
	// errForbidden means that this Pod's account may not read the Framework, and that this has lasted.
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

// isForbidden reports whether the Framework has been forbidden so long that it will stay so. An API server that is
// about to start also forbids requests that were permitted before; those are retried.
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

// owns reports whether this Pod is known to belong to the Framework with that UID.
func (w *waiter) owns(uid string) bool {
	return w.settings.OwnAttempt != "" && uid == w.settings.OwnUID
}

// released reports whether the gang is complete, according to a read without the gate.
func (w *waiter) released(f *framework) bool {
	return w.mayStart(f) && w.passed(f) && (w.owns(f.uid) || f.current())
}

func renewal() time.Duration { return watchLeast + rand.N(watchMost-watchLeast) }

// ofOthers waits for a Framework that this Pod is not known to belong to. A completed one has no open gate, but may
// still be ready.
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

// notSeen interprets an error of the first read. An API server that is about to start forbids requests that were
// permitted before.
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

// absence reports whether an error means that there is no such Framework: the answer names it, or not even its kind is
// known. Once it has been read, the latter only means that the API server is about to start.
func (w *waiter) absence(err error) error {
	r := (*refusal)(nil)
	if errors.As(err, &r) && r.code == http.StatusNotFound && (r.name == w.settings.Name || !w.exists) {
		return fmt.Errorf("%w: %w", errNotFound, err)
	}
	return err
}

// watch returns the Framework once the gate is open and willDo accepts it. Versions older than the one already read are
// ignored: a watch may begin with one, and it may have the address of this Pod's predecessor.
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
			return fmt.Errorf("%w: %w", errUngated, err) // further watches would end in the same way
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

// poll reads the Framework, as the original does at every interval, and returns after one interval unless it is ready:
// the gate may be in use by then, because another controller has taken over, permissions were granted, or the API
// server has started.
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

// passed applies the ready rule, and logs the counts if they have changed.
func (w *waiter) passed(f *framework) bool {
	c := f.count()
	if c != w.told {
		w.log.Info("tasks with an address", "ready", c.ready, "total", c.total)
		w.told = c
	}
	return c.passed()
}

// logFault logs the obstacle, once until it changes.
func (w *waiter) logFault(err error) {
	if errors.Is(err, errEnded) || errors.Is(err, errClosed) || err.Error() == w.fault {
		w.log.Debug("retrying", "because", err)
		return
	}
	w.fault = err.Error()
	w.log.Warn("cannot read the framework, retrying", "error", err)
}

// beat logs regularly that the barrier still waits, until the returned function is called.
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

// longer is the pause, or the server's requested pause if that is longer, spread over twice its length.
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
