package kubectl

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// A followed log ends whenever the API server or the kubelet restarts, or a proxy closes a silent connection, while the
// container still runs. It is resumed from the last line: the API server is asked for lines since then, each with its time,
// and lines that were already printed are dropped.
//
// The API server does not report which run of a container an answer belongs to, and the Pod's status may be older than the
// answer. So the log itself has to show it: the last printed line is repeated before any new line. If it is not, nothing is
// printed until the log of the previous run has been searched for it.

// reading is the kind of log to read.
type reading int

const (
	readFollow   reading = iota // the container's current log, and its new lines
	readRest                    // the same without new lines
	readPrevious                // the log of the previous run
	readNoMore
)

// answer is the result of a reading.
type answer struct {
	err error
	// found: the last printed line was repeated, so the log belongs to the same run.
	found bool
	// lost: the last printed line is missing. Nothing new was printed.
	lost bool
	// first: nothing was known of the run, so this may be the log of another one.
	first bool
}

// read prints the lines after the position.
func (f *following) read(ctx context.Context, c container, p *position, what reading) answer {
	o := f.options(c)
	o.Follow, o.Previous, o.Timestamps = what == readFollow, what == readPrevious, true
	if since := p.since(); !since.IsZero() {
		o.SinceSeconds, o.TailLines, o.SinceTime = nil, nil, &metav1.Time{Time: since}
	}
	begun := time.Now()
	stream, err := f.open(ctx, f.k, c, o)
	if err != nil {
		return answer{err: err, first: p.fresh}
	}
	defer stream.Close()
	if p.begun.IsZero() && (o.SinceSeconds != nil || o.TailLines != nil) {
		p.begun = begun
	}
	anchored, first := p.anchored, p.fresh
	r, lines := p.resume(), bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		atEnd := errors.Is(err, io.EOF)
		if line != "" && (err == nil || atEnd && what != readFollow) { // the last line may have no line break
			lost, err := f.readLine(c, r, line)
			if lost || err != nil {
				return answer{lost: lost, err: err, first: first}
			}
		}
		switch {
		case atEnd:
			return answer{found: anchored && r.found, lost: !r.found && what != readFollow, first: first}
		case err != nil:
			return answer{err: err, first: first}
		}
	}
}

// readLine prints a line if it is new.
func (f *following) readLine(c container, r *resumption, line string) (lost bool, err error) {
	text, whole := strings.CutSuffix(line, "\n")
	at, text := timed(text)
	if at.IsZero() && !whole && (r.fresh || !r.last.at.IsZero()) {
		return false, errors.New(text) // not a line of the log: the kubelet failed after it had begun to answer
	}
	l := r.lineOf(at, text)
	switch r.sight(l) {
	case isOld:
		return false, nil
	case isLost:
		return true, nil
	}
	if r.gap {
		f.warnOfGap(c, r.position, at)
	}
	if f.timestamps && !at.IsZero() {
		text = at.Format(time.RFC3339Nano) + " " + text
	}
	if err := f.write(f.prefix(c.title(), c.index), text); err != nil {
		f.stop(err)
		return false, err
	}
	r.printed(l)
	return false, nil
}

// decision is the next step after an answer.
type decision struct {
	next reading
	// letGo: the last printed line is not searched for again.
	letGo bool
}

// decide returns the next step after an answer; now is how the run stood after its log was read.
func (what reading) decide(a answer, now standing) decision {
	switch {
	case now == isGone:
		return decision{next: readNoMore}
	case a.lost && what != readPrevious:
		return decision{next: readPrevious} // the container was restarted, or the file was rotated
	case a.lost && now == unknown:
		return decision{next: readPrevious}
	case a.lost, what == readPrevious && apierrors.IsBadRequest(a.err) && (now == runsOn || now == hasEnded): // has no previous run
		return decision{next: now.unread(), letGo: true}
	case a.err != nil && what == readPrevious:
		return decision{next: readPrevious, letGo: a.first && now == startedMore}
	case a.err == nil && (what == readPrevious || what == readRest && (a.found || now == hasEnded)):
		return decision{next: readNoMore, letGo: a.first && now == startedMore}
	case what == readRest && now == unknown:
		return decision{next: readRest}
	}
	return decision{next: now.unread()}
}

// unread returns the part of a run that is left to read.
func (s standing) unread() reading {
	switch s {
	case startedAgain, startedMore:
		return readPrevious
	case hasEnded:
		return readRest
	}
	return readFollow
}

// stream prints the log of one run of a container to its end.
func (f *following) stream(ctx context.Context, c container, run instance, restarts int32, p *position, what reading) {
	var failing outage
	for what != readNoMore {
		a := f.read(ctx, c, p, what)
		if f.endsAll(ctx, a.err) {
			return
		}
		now, err := f.standing(ctx, run, restarts, c)
		d := what.decide(a, now)
		if d == (decision{next: what}) { // retry, unless the container ends in the meantime
			if err = cmp.Or(a.err, err); failing.isTooLong(what, now, err) {
				d = f.giveUp(c, what, now, err)
			} else {
				f.pauseIn(ctx, c, &failing, what, err)
				now, _ = f.standing(ctx, run, restarts, c)
				d = what.decide(a, now)
			}
		}
		if ctx.Err() != nil {
			return
		}
		if now == isGone && a.err != nil {
			f.warn(c, a.err)
		}
		if d.letGo || now == isGone && a.lost {
			p.letGo()
		}
		if d.next != what {
			failing = outage{}
		}
		p.unsure = what == readRest && !a.found
		what = d.next
	}
	if p.gap {
		f.warnOfGap(c, p, time.Time{})
	}
}

const (
	// worthTelling is the interval between warnings about a log that cannot be read.
	worthTelling = 30 * time.Second
	// awayFor limits the search for the rest of a finished run's log while the API server or the kubelet is unavailable.
	// refusedFor limits it while the kubelet answers that it has no such log, as it does at first after a restart.
	awayFor, refusedFor = 10 * time.Minute, 30 * time.Second
)

// outage tracks repeated failures of a reading. The zero value means none.
type outage struct {
	since, told time.Time
	pauses      wait.Backoff
}

// isTooLong reports whether to give up. The log of a running container is never given up, and the search in the log of its
// previous run must not delay it for long.
func (o *outage) isTooLong(what reading, now standing, err error) bool {
	patience := awayFor
	if apierrors.IsBadRequest(err) || what == readPrevious && now == runsOn {
		patience = refusedFor
	}
	return what != readFollow && !o.since.IsZero() && time.Since(o.since) > patience
}

// pauseIn waits before the next try.
func (f *following) pauseIn(ctx context.Context, c container, o *outage, what reading, err error) {
	switch {
	case err == nil:
		*o = outage{}
	case o.since.IsZero():
		*o = outage{time.Now(), time.Now(), wait.Backoff{Duration: f.pause, Factor: 2, Steps: 5}}
	case time.Since(o.told) > worthTelling:
		f.warn(c, err)
		o.told = time.Now()
	}
	pause := f.pause
	if what != readFollow {
		pause = max(pause, o.pauses.Step())
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// giveUp ends the search for the rest of a log. A container that may still run is followed further.
func (f *following) giveUp(c container, what reading, now standing, err error) decision {
	if what == readPrevious && now < hasEnded {
		return decision{next: readFollow, letGo: true}
	}
	f.warn(c, fmt.Errorf("giving up, so its last lines are missing: %w", err))
	return decision{next: readNoMore}
}

// endsAll reports whether no log at all can be read further.
func (f *following) endsAll(ctx context.Context, err error) bool {
	if apierrors.IsForbidden(err) {
		f.stop(f.k.mayNotReadLogs(err))
	}
	return ctx.Err() != nil
}

// warnOfGap warns between which times lines may be missing; next is zero if no later line exists.
func (f *following) warnOfGap(c container, p *position, next time.Time) {
	p.gap = false
	which := "after " + p.last.at.Format(time.RFC3339Nano)
	if !next.IsZero() {
		which = fmt.Sprintf("between %s and %s", p.last.at.Format(time.RFC3339Nano), next.Format(time.RFC3339Nano))
	}
	fmt.Fprintf(f.ErrOut, "warning: the log of Pod %s was interrupted, and it was rotated or its container restarted before it could be read again: lines %s may be missing\n", c.Name, which)
}

// standing is the state of a run, as far as its log is concerned.
type standing int

const (
	unknown standing = iota // the API server does not report it
	runsOn
	hasEnded     // its log still exists
	startedAgain // its log is the previous one
	startedMore  // more than once, so the previous log belongs to a later run
	isGone       // and so is its log
)

func (f *following) standing(ctx context.Context, run instance, restarts int32, c container) (standing, error) {
	ctx, cancel := f.k.patient(ctx)
	defer cancel()
	p, err := f.k.core.CoreV1().Pods(f.k.namespace).Get(ctx, c.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && p.UID != run.pod:
		return isGone, nil
	case err != nil:
		return unknown, err
	}
	switch s := statusOf(p, run.container); {
	case s == nil:
		return unknown, errors.New("the status of its Pod does not have the container")
	case runOf(s) != run.id && s.RestartCount > restarts+1:
		return startedMore, nil
	case runOf(s) != run.id:
		return startedAgain, nil
	case s.State.Running == nil:
		return hasEnded, nil
	}
	return runsOn, nil
}

// runOf returns the ID of the container whose log the API server has; the Pod may be waiting for the next one.
func runOf(s *corev1.ContainerStatus) string {
	if ended := s.LastTerminationState.Terminated; s.ContainerID == "" && ended != nil {
		return ended.ContainerID
	}
	return s.ContainerID
}
