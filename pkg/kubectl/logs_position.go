package kubectl

import (
	"hash/maphash"
	"maps"
	"strings"
	"time"
)

// position is how far the log of a container of one Pod is printed, over all its runs: their lines have the clock of one node.
type position struct {
	// last is the line with the latest time that was printed; its time is zero before the first one.
	last printedLine
	// anchored says that last belongs to the run that is read. A new line that comes before last shows that the file is another
	// one: it was rotated, or it is the log of a later run.
	anchored bool
	// fresh says that nothing is known of the run that is read: none of its lines was printed, nor given up.
	fresh bool
	// unsure says that the end of the latest run was read without a line of it that had been printed before, so the container may
	// have been started again just then.
	unsure bool
	// gap says that lines after last may be missing, which is reported with the next line that is printed.
	gap bool
	// recent counts the lines that were printed in the time from which the log is taken up. Two lines may be equal.
	recent map[printedLine]int
	seed   maphash.Seed
	// begun is when the log was first asked for with --since or --tail, by the clock of this machine; zero otherwise. Lines that
	// were printed before that are left out.
	begun time.Time
}

type printedLine struct {
	at   time.Time
	text uint64 // a hash
}

func newPosition() *position {
	return &position{fresh: true, recent: map[printedLine]int{}, seed: maphash.MakeSeed()}
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
	if !p.anchored || !line.at.Before(p.last.at) {
		p.last = line
	}
	p.recent[line]++
	p.anchored, p.fresh = true, false
}

// letGo gives the last line up: what follows is not sought after it.
func (p *position) letGo() { p.anchored, p.fresh, p.gap = false, false, true }

// nextRun is for the log of a run that begins. Lines without times cannot be told from those of an earlier run.
func (p *position) nextRun() {
	p.anchored, p.fresh = false, true
	maps.DeleteFunc(p.recent, func(l printedLine, _ int) bool { return l.at.IsZero() })
}

// resumption is one reading of a log that goes on where an earlier one has ended.
type resumption struct {
	*position
	again map[printedLine]int // lines that are to come once more
	// found says that the last line that was printed has come once more, or that it need not.
	found bool
}

func (p *position) resume() *resumption {
	r := &resumption{position: p, again: map[printedLine]int{}, found: !p.anchored}
	for line, n := range p.recent {
		if !line.at.Before(p.since()) {
			r.again[line] = n
		}
	}
	return r
}

// sight is how a line stands to the position.
type sight int

const (
	isNew  sight = iota
	isOld        // it was printed, or it is from before the last line that was
	isLost       // it is new, and the last line that was printed should have come before it
)

func (r *resumption) sight(line printedLine) sight {
	if r.again[line] > 0 {
		r.again[line]--
		r.found = r.found || r.again[r.last] == 0
		return isOld
	}
	switch {
	case r.found:
		return isNew
	case line.at.Before(r.last.at): // such as the end of a long line whose beginning was not asked for
		return isOld
	}
	return isLost
}

func (p *position) lineOf(at time.Time, text string) printedLine {
	return printedLine{at, maphash.String(p.seed, text)}
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
