package kubectl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// following is a running logs -f.
type following struct {
	*logging
	k      *cluster
	name   string
	chosen []target
	// over receives the reason why the logs have ended: nil if the Framework has completed or is gone.
	over chan error

	stop     context.CancelCauseFunc
	streams  sync.WaitGroup
	underWay atomic.Int32
	pause    time.Duration // before a log is resumed, and before Pods are listed again
	known    map[instance]bool
	logs     map[logKey]*followedLog
}

// instance is one run of a container. A restarted container has a new run with its own log.
type instance struct {
	pod           types.UID
	container, id string
}

// logKey identifies the log of a container of a Pod over all its runs.
type logKey struct {
	pod       types.UID
	container string
}

// followedLog is a log whose runs are printed one after the other.
type followedLog struct {
	*position
	restarts int32         // restart count of the latest followed run
	printed  chan struct{} // closed when that run has been printed to its end
}

// followAll follows the existing Pods, and new ones, until the Framework has completed.
func (l *logging) followAll(ctx context.Context, k *cluster, name string, chosen []target) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f := &following{logging: l, k: k, name: name, chosen: chosen, over: make(chan error, 1), stop: stop, known: map[instance]bool{}, logs: map[logKey]*followedLog{}, pause: lookAgain}
	defer f.streams.Wait()
	go func() {
		f.over <- k.follow(ctx, name, func(s *stored) (bool, error) { return s == nil || hasCompleted(s), nil })
	}()
	if err := f.pods(ctx); err != nil {
		stop(err) // otherwise it would be reported only after all streams have ended
		return err
	}
	return nil // once all followed logs have been printed
}

// pods follows Pods as they are created. A watch that has ended is restarted, and once the API server has answered, pods waits for it while
// it is away. It lists the Pods before each watch, also because RetryWatcher does not show some of them, see cluster.follow: when its
// version has expired, Pods whose logs can still be read have been created in the meantime.
func (f *following) pods(ctx context.Context) error {
	over, answered := false, false
	for {
		version, away, err := f.present(ctx)
		switch {
		case err != nil:
			return err
		case away != nil && !answered:
			return away
		case away == nil && over:
			return nil
		case away == nil:
			answered = true
			if over, err = f.changes(ctx, version); err != nil {
				return err
			}
			if over {
				continue // after a last look for new output
			}
		}
		select {
		case <-ctx.Done():
			return whyStopped(ctx)
		case <-time.After(f.pause):
		}
	}
}

// present follows the Pods that exist. If the API server is unavailable, away is set, and another try may succeed.
func (f *following) present(ctx context.Context) (version string, away, err error) {
	version, away = f.k.eachPod(ctx, f.name, func(p *corev1.Pod) {
		if err == nil {
			err = f.take(ctx, p)
		}
	})
	switch {
	case ctx.Err() != nil:
		return "", nil, whyStopped(ctx)
	case apierrors.IsForbidden(away):
		return "", nil, away
	}
	return version, away, err
}

// changes follows Pods as they change, until the watch ends or the Framework is over.
func (f *following) changes(ctx context.Context, version string) (over bool, err error) {
	w, err := f.k.core.CoreV1().Pods(f.k.namespace).Watch(ctx, metav1.ListOptions{LabelSelector: ofFramework(f.name), ResourceVersion: version})
	if apierrors.IsForbidden(err) {
		return false, f.k.inPlainWords(err)
	}
	if err != nil {
		return false, nil // the caller restarts it
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case err := <-f.over:
			if apierrors.IsNotFound(err) {
				err = nil
			}
			return true, err
		case e, ok := <-w.ResultChan():
			if !ok || e.Type == watch.Error {
				return false, nil
			}
			if p, ok := e.Object.(*corev1.Pod); ok && e.Type != watch.Deleted {
				if err := f.take(ctx, p); err != nil {
					return false, err
				}
			}
		}
	}
}

// take follows the running containers of a Pod that are not followed yet.
func (f *following) take(ctx context.Context, p *corev1.Pod) error {
	pod, ok := podOfTask(p, f.name, f.chosen)
	if !ok {
		return nil
	}
	for _, c := range f.containersOf(pod) {
		status := statusOf(p, c.name)
		if !hasStarted(status) {
			continue
		}
		run := instance{p.UID, c.name, runOf(status)}
		if f.known[run] {
			continue
		}
		if int(f.underWay.Load()) >= f.mostFollowed {
			return fmt.Errorf("framework %s has more than %d containers to follow: name roles or Tasks, such as worker/0, or raise --max-log-requests", f.name, f.mostFollowed)
		}
		f.known[run] = true
		f.underWay.Add(1)
		f.streams.Go(f.nextRun(ctx, c, run, status.RestartCount))
	}
	return nil
}

// nextRun returns a function that prints the log of a run, after the log of the previous run.
func (f *following) nextRun(ctx context.Context, c container, run instance, restarts int32) func() {
	key := logKey{run.pod, run.container}
	l, skipped, before := f.logs[key], int32(0), make(chan struct{})
	if l == nil {
		l = &followedLog{position: newPosition()}
		f.logs[key] = l
		close(before)
	} else {
		before, skipped = l.printed, restarts-l.restarts-1
	}
	printed := make(chan struct{})
	l.restarts, l.printed = restarts, printed
	return func() {
		defer f.underWay.Add(-1)
		defer close(printed)
		<-before
		if skipped > 0 { // containers ran while Pods could not be watched; the last run has a log
			l.nextRun()
			l.gap = skipped > 1
		}
		if skipped > 0 || l.unsure { // search for the rest of the previous run, wherever it is by now
			f.stream(ctx, c, instance{pod: run.pod, container: run.container}, restarts-1, l.position, readPrevious)
		}
		l.nextRun()
		f.stream(ctx, c, run, restarts, l.position, readFollow)
	}
}

// whyStopped returns nil if the user has stopped it.
func whyStopped(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}
