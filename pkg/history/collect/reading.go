package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

const (
	// mostReopened is how often a log is opened again after its connection broke.
	mostReopened = 20
	// lateAfter is the time after the end of a container within which its last lines are written to the log.
	lateAfter = 100 * time.Millisecond
)

var (
	errTooMany = errors.New("too many logs were read at the same time")
	errStopped = errors.New("the history server was stopped")
)

// reading reads one log.
type reading struct {
	collector *Collector
	pod       *pod
	key       store.LogKey
	position  int // place in the request
	running   bool
	previous  bool
	// opened is closed once the stream is open, or cannot be opened.
	opened chan struct{}
	// done is closed once the log is stored.
	done chan struct{}
}

// run reads the log and stores it.
func (r *reading) run() {
	open := sync.OnceFunc(func() { close(r.opened) })
	defer open()
	leave, err := r.place()
	if err != nil {
		open()
		r.save(nil, historyapi.LogNone, err)
		return
	}
	defer leave()
	late := r.pod.verifying.Load() // the answer did not wait, so the Pod may be gone
	ctx := r.collector.ctx
	kept := logs.NewKept(r.pod.limits, r.collector.budget)
	defer kept.Release()
	if r.running {
		stop := r.saveMeanwhile(kept)
		err = r.read(ctx, kept, open)
		stop()
	} else {
		limited, cancel := context.WithTimeout(ctx, endedWithin)
		defer cancel()
		err = r.read(limited, kept, open)
	}
	open()
	if late && apierrors.IsNotFound(err) {
		err = errTooMany
	}
	switch {
	case err == nil:
		r.save(kept, historyapi.LogComplete, nil)
	case ctx.Err() != nil:
		r.save(kept, historyapi.LogCut, errStopped)
	default:
		r.save(kept, historyapi.LogCut, err)
	}
}

// place waits for a place among the readings.
func (r *reading) place() (leave func(), err error) {
	places := r.collector.readers
	if r.running {
		places = r.collector.followers
	}
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-time.After(r.collector.placeWithin):
		return nil, errTooMany
	case <-r.collector.ctx.Done():
		return nil, errStopped
	}
}

// read reads the log to its end. If the connection breaks and the Pod is still there, it opens the log again. It also does so once after
// the stream of a container that ran has ended: the kubelet ends the stream with the container, and the runtime may write the last lines
// after that.
func (r *reading) read(ctx context.Context, kept *logs.Kept, opened func()) (err error) {
	var at place
	for tries, pause := 0, lateAfter; ; tries, pause = tries+1, r.collector.reopenAfter {
		this := r.stream(ctx, kept, &at, opened)
		if tries > 0 && isFinal(this) {
			return err // error of the previous stream: the log is gone now, or another Pod has the name
		}
		err = this
		if ctx.Err() != nil || tries == mostReopened || isFinal(err) || !r.goesOn(ctx, err, tries == 0) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// place is the last line that was read: its time, and whether its rest is missing.
type place struct {
	last int64
	open bool
}

// isFinal reports an error that a repetition does not change: there is no such Pod, container, or log.
func isFinal(err error) bool {
	return errors.Is(err, errOtherPod) || apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || apierrors.IsGone(err)
}

// goesOn reports whether there is more to read, because the container runs, the stream broke, or the first stream of a container that ran
// has ended. The stream of a container that runs may end without an error, because the API server does not report that a node is away.
func (r *reading) goesOn(ctx context.Context, err error, first bool) bool {
	if err == nil && !r.running {
		return false
	}
	found, getErr := r.podNow(ctx)
	if getErr != nil || string(found.UID) != r.key.PodUID {
		return false
	}
	if err != nil {
		return true
	}
	status := statusOf(found, r.key.Container)
	return status != nil && status.RestartCount == r.key.Start && (first || status.State.Running != nil)
}

// stream reads the lines behind a place.
func (r *reading) stream(ctx context.Context, kept *logs.Kept, at *place, opened func()) error {
	options := corev1.PodLogOptions{Container: r.key.Container, Timestamps: true, Follow: r.running, Previous: r.previous}
	seen := at.last
	if seen != 0 {
		options.SinceTime = &metav1.Time{Time: time.Unix(0, seen)} // whole seconds, so some lines are sent again
	}
	if r.running {
		// The kubelet does not answer before there is a line.
		timer := time.AfterFunc(r.collector.reopenAfter, opened)
		defer timer.Stop()
	}
	stream, err := r.collector.Cluster.Log(ctx, r.pod.request.GetFramework().GetNamespace(), r.pod.request.GetPodName(), options)
	if err != nil {
		return err
	}
	defer stream.Close()
	if err := r.verifyLate(ctx); err != nil {
		return err
	}
	opened()
	if at.open { // the rest of the line is lost
		_ = kept.Add(logs.Line{Time: seen, Text: []byte("\n")})
	}
	return logs.Scan(stream, func(l logs.Line) error {
		if seen != 0 && l.Time <= seen {
			return nil
		}
		*at = place{l.Time, !bytes.HasSuffix(l.Text, []byte("\n"))}
		return kept.Add(l)
	})
}

// verifyLate returns an error if the stream may belong to another Pod: it was opened after the Pod was verified, because there was no
// place for it before, or because its connection broke.
func (r *reading) verifyLate(ctx context.Context) error {
	if !r.pod.verifying.Load() {
		return nil
	}
	found, err := r.podNow(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case string(found.UID) != r.key.PodUID:
		return errOtherPod
	}
	return nil
}

// podNow reads the Pod that has the name of the log's Pod now, perhaps another one.
func (r *reading) podNow(ctx context.Context) (*corev1.Pod, error) {
	return r.collector.Cluster.Pod(ctx, r.pod.request.GetFramework().GetNamespace(), r.pod.request.GetPodName())
}

// saveMeanwhile stores the part that was read from time to time, so that it survives a crash, and users can read it.
func (r *reading) saveMeanwhile(kept *logs.Kept) (stop func()) {
	end := make(chan struct{})
	var saving sync.WaitGroup
	saving.Go(func() {
		ticker := time.NewTicker(r.collector.saveEvery)
		defer ticker.Stop()
		for saved := int64(-1); ; {
			if read := kept.Read(); read > saved {
				r.save(kept, historyapi.LogReading, nil)
				saved = read
			}
			select {
			case <-ticker.C:
			case <-end:
				return
			}
		}
	})
	return func() { close(end); saving.Wait() }
}

// save stores the part that was read, if it belongs to the Pod of the request.
func (r *reading) save(kept *logs.Kept, state string, cause error) {
	<-r.pod.verified
	p, q := r.pod, r.pod.request
	l := store.NewLog{LogKey: r.key, Framework: q.GetFramework(), Role: q.GetTaskRole(), Index: q.GetTaskIndex(),
		TaskAttempt: q.GetTaskAttemptId(), Pod: q.GetPodName(), Position: r.position, State: state, Time: time.Now()}
	if p.found != nil {
		l.Position, l.Init = placeOf(p.found, r.key.Container)
		if status := statusOf(p.found, r.key.Container); r.previous && status != nil && status.State.Waiting != nil {
			return // the previous start is the last one, whose log is read already
		}
	}
	if p.other != nil {
		kept, l.State, cause = nil, historyapi.LogNone, p.other
	}
	if kept != nil {
		parts := kept.PartsSoFar
		if state == historyapi.LogComplete {
			parts = kept.Parts
		}
		l.Parts = parts(r.collector.Config.Redaction)
		if text, ok := messageOf(l.Parts); ok {
			l.Parts, cause = logs.Parts{}, fmt.Errorf("the kubelet answered: %s", text)
		}
		l.Parts = r.collector.heads.before(headKey{r.key.PodUID, r.key.Container, r.key.Start}, l.Parts, p.limits.Head)
	}
	if cause != nil {
		l.Error = cause.Error()
		if l.Parts.HeadBytes+l.Parts.TailBytes == 0 {
			l.State = historyapi.LogNone
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
	defer cancel()
	log := r.collector.Log.With("namespace", q.GetFramework().GetNamespace(), "pod", q.GetPodName(), "container", r.key.Container)
	if err := r.collector.Store.SaveLog(ctx, l); err != nil {
		log.Warn("storing a log", "error", err)
		return
	}
	log.Debug("log stored", "state", l.State, "bytes", l.Parts.HeadBytes+l.Parts.TailBytes, "error", l.Error)
}

// mostMessage is the longest message of a kubelet that stands in place of a log, in bytes.
const mostMessage = 4 << 10

// messageOf returns the text of a kubelet in place of a log, such as that the runtime has none. It has no times.
func messageOf(p logs.Parts) (message string, ok bool) {
	all := append(p.Head[:len(p.Head):len(p.Head)], p.Tail...)
	if len(all) == 0 || p.HeadBytes+p.TailBytes+p.Skipped > mostMessage {
		return "", false
	}
	var text strings.Builder
	for _, b := range all {
		if b.First != 0 {
			return "", false
		}
		b.Each(func(l logs.Line) bool { text.Write(l.Text); return true })
	}
	return strings.TrimSpace(text.String()), true
}
