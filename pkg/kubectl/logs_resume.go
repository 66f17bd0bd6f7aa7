package kubectl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A followed log ends whenever the API server or the kubelet is restarted, or a proxy has heard nothing for too long, though the
// container runs on. It is taken up again from the last line: the API server is asked for lines since then, each with its time,
// and lines that were printed already are dropped.

// position is how far the log of one run of a container is printed.
type position struct {
	// last line that was printed; its time is zero before the first one.
	last printedLine
	// recent are the lines that were printed in the time from which the log is taken up, and how often. Two lines may be equal.
	recent map[printedLine]int
	seed   maphash.Seed
	// begun is when the log was first asked for, of which not all is wanted, by the clock of this machine; zero otherwise. What
	// was printed before that is left out.
	begun time.Time
}

type printedLine struct {
	at   time.Time
	text uint64 // a hash
}

func newPosition() *position {
	return &position{recent: map[printedLine]int{}, seed: maphash.MakeSeed()}
}

// overlap is how much before its last line a log is taken up: times are asked for in whole seconds, lines of stdout and stderr may
// be out of order, and the parts of a long line have times of their own.
const overlap = 2 * time.Second

// since is from when on the log is read; zero if it is read as the flags say.
func (p *position) since() time.Time {
	if p.last.at.IsZero() {
		return p.begun
	}
	return p.last.at.Add(-overlap).Truncate(time.Second)
}

// printed notes a line.
func (p *position) printed(line printedLine) {
	if line.at.Truncate(time.Second).After(p.last.at) { // once a second
		for l := range p.recent {
			if l.at.Before(line.at.Add(-2 * overlap)) {
				delete(p.recent, l)
			}
		}
	}
	if !line.at.Before(p.last.at) {
		p.last = line
	}
	p.recent[line]++
}

// resumption is one reading of a log that goes on where an earlier one has ended.
type resumption struct {
	*position
	again map[printedLine]int // lines that are to come once more
	// gap: a new line came before the last one that was printed, so lines between them may be missing.
	gap bool
}

func (p *position) resume() *resumption {
	r := &resumption{position: p, again: map[printedLine]int{}}
	for line, n := range p.recent {
		if !line.at.Before(p.since()) {
			r.again[line] = n
		}
	}
	return r
}

// isNew reports whether a line has not been printed, and notes it.
func (r *resumption) isNew(at time.Time, text string) bool {
	line := printedLine{at, maphash.String(r.seed, text)}
	if r.again[line] > 0 {
		r.again[line]--
		return false
	}
	r.gap = r.gap || !line.at.Before(r.last.at) && r.again[r.last] > 0
	r.printed(line)
	return true
}

// timed parts the time from a line that the API server has given one.
func timed(line string) (at time.Time, text string) {
	stamp, text, ok := strings.Cut(line, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if !ok || err != nil {
		return time.Time{}, line
	}
	return at, text
}

// reading is how a log is read.
type reading struct {
	follow   bool
	previous bool
	// whole: what comes last is a line, though it has no end.
	whole bool
}

// readOn prints what has come since the position. It reports whether lines may be missing before it.
func (f *following) readOn(ctx context.Context, c container, p *position, how reading) (gap bool, err error) {
	o := f.options(c)
	o.Follow, o.Previous, o.Timestamps = how.follow, how.previous, true
	if since := p.since(); !since.IsZero() {
		o.SinceSeconds, o.TailLines, o.SinceTime = nil, nil, &metav1.Time{Time: since}
	}
	begun := time.Now()
	stream, err := f.open(ctx, f.k, c, o)
	if err != nil {
		return false, err
	}
	defer stream.Close()
	if p.begun.IsZero() && (o.SinceSeconds != nil || o.TailLines != nil) {
		p.begun = begun
	}
	r, lines := p.resume(), bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		if line != "" && (err == nil || how.whole) {
			if at, text := timed(strings.TrimSuffix(line, "\n")); r.isNew(at, text) {
				if err := f.write(f.prefix(c.title(), c.index), text); err != nil {
					f.stop(err)
					return false, err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return r.gap, nil
		}
		if err != nil {
			return r.gap, err
		}
	}
}

// worthTelling is how long a log cannot be read until that is said.
const worthTelling = 30 * time.Second

// stream prints the log of one run of a container to its end.
func (f *following) stream(ctx context.Context, c container, run instance) {
	defer f.underWay.Add(-1)
	p := newPosition()
	var broken time.Time // since when the log cannot be read; zero if it can, or if that is told
	for {
		gap, err := f.readOn(ctx, c, p, reading{follow: true})
		if f.endsAll(ctx, err) {
			return
		}
		if gap {
			f.warnOfGap(c)
		}
		switch now := f.standing(ctx, run, c); now {
		case isGone:
			if err != nil {
				f.warn(c, err)
			}
			return
		case hasEnded, startedAgain:
			f.finish(ctx, c, p, now == startedAgain)
			return
		}
		switch {
		case err == nil:
			broken = time.Time{}
		case broken.IsZero():
			broken = time.Now()
		case time.Since(broken) > worthTelling:
			f.warn(c, err)
			broken = time.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(f.pause):
		}
	}
}

// finish prints what is left of a log whose container has ended: its stream may have broken before that.
func (f *following) finish(ctx context.Context, c container, p *position, startedAgain bool) {
	gap, err := f.readOn(ctx, c, p, reading{previous: startedAgain, whole: true})
	switch {
	case f.endsAll(ctx, err):
	case err != nil:
		f.warn(c, err)
	case gap:
		f.warnOfGap(c)
	}
}

// endsAll reports whether nothing more is to be read, of any container.
func (f *following) endsAll(ctx context.Context, err error) bool {
	if apierrors.IsForbidden(err) {
		f.stop(f.k.mayNotReadLogs(err))
	}
	return ctx.Err() != nil
}

func (f *following) warnOfGap(c container) {
	fmt.Fprintf(f.ErrOut, "warning: the log of Pod %s was interrupted, and lines before the last ones may be missing\n", c.Name)
}

// standing is how a run of a container stands, as far as its log goes.
type standing int

const (
	runsOn       standing = iota // or that is not known
	hasEnded                     // its log is there still
	startedAgain                 // its log is the previous one
	isGone                       // with its log
)

func (f *following) standing(ctx context.Context, run instance, c container) standing {
	ctx, cancel := f.k.patient(ctx)
	defer cancel()
	p, err := f.k.core.CoreV1().Pods(f.k.namespace).Get(ctx, c.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && p.UID != run.pod:
		return isGone
	case err != nil:
		return runsOn
	}
	switch s := statusOf(p, run.container); {
	case s == nil:
		return runsOn
	case s.ContainerID != run.id:
		return startedAgain
	case s.State.Running == nil:
		return hasEnded
	}
	return runsOn
}
