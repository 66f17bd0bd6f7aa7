package kubectl

import (
	"hash/maphash"
	"maps"
	"strings"
	"time"
)

// position is how far the log of a container was printed, over all its runs: their lines are stamped by the clock of one node.
type position struct {
	// last is the line with the latest time that was printed; its time is zero before the first line.
	last printedLine
	// anchored reports whether last belongs to the run being read. If a new line comes before last, the file is another one: it
	// was rotated, or it is the log of a later run.
	anchored bool
	// fresh reports whether the run being read is unknown so far: none of its lines was printed or given up.
	fresh bool
	// unsure reports whether the latest run ended without a line that was already printed, so the container may have been
	// restarted just then.
	unsure bool
	// gap reports whether lines after last may be missing; the warning is printed with the next line.
	gap bool
	// recent counts the printed lines in the time from which the log is resumed. Two lines may be equal.
	recent map[printedLine]int
	seed   maphash.Seed
	// begun is the time of the first request with --since or --tail, by the clock of this machine; zero otherwise. Lines from
	// before begun that were not printed are left out.
	begun time.Time
}

type printedLine struct {
	at   time.Time
	text uint64 // a hash
}

func newPosition() *position {
	return &position{fresh: true, recent: map[printedLine]int{}, seed: maphash.MakeSeed()}
}

// overlap is how far before its last line a log is resumed: requests are in whole seconds, lines of stdout and stderr may be
// out of order, and the parts of a long line have their own times.
const overlap = 2 * time.Second

// since is the time from which the log is read; zero if the flags decide.
func (p *position) since() time.Time {
	if p.last.at.IsZero() {
		return p.begun
	}
	return p.last.at.Add(-overlap).Truncate(time.Second)
}

// printed records a printed line.
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

// letGo gives up the last line: it is not searched for again.
func (p *position) letGo() { p.anchored, p.fresh, p.gap = false, false, true }

// nextRun prepares for the log of a new run. Lines without times cannot be distinguished from lines of an earlier run.
func (p *position) nextRun() {
	p.anchored, p.fresh = false, true
	maps.DeleteFunc(p.recent, func(l printedLine, _ int) bool { return l.at.IsZero() })
}

// resumption is one reading of a log that continues where an earlier one has ended.
type resumption struct {
	*position
	again map[printedLine]int // lines that are expected to be repeated
	// found reports whether the last printed line was repeated, or need not be.
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

// sight classifies a line relative to the position.
type sight int

const (
	isNew  sight = iota
	isOld        // it was printed, or is older than the last printed line
	isLost       // it is new, but the last printed line should have come before it
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
	case line.at.Before(r.last.at): // such as the end of a long line that began before the requested time
		return isOld
	}
	return isLost
}

func (p *position) lineOf(at time.Time, text string) printedLine {
	return printedLine{at, maphash.String(p.seed, text)}
}

// timed splits a line into the time that the API server has added, and its text.
func timed(line string) (at time.Time, text string) {
	stamp, text, ok := strings.Cut(line, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if !ok || err != nil {
		return time.Time{}, line
	}
	return at, text
}
