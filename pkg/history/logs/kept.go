package logs

import "sync"

// Limits are the largest head and tail of a log, in bytes.
type Limits struct{ Head, Tail int64 }

// Kept holds the head and the tail of a log while the log is read. It is safe for concurrent use.
type Kept struct {
	limits Limits
	budget *Budget

	mutex sync.Mutex
	// The head is full: all further lines belong to the tail.
	headFull   bool
	head, tail sequence
	// Bytes of the tail that were dropped.
	dropped int64
	// Blocks that the budget has granted. The first one of the tail needs no grant.
	taken int
}

// NewKept returns an empty log. Release it when it is no longer needed.
func NewKept(limits Limits, budget *Budget) *Kept { return &Kept{limits: limits, budget: budget} }

// Add adds a line, and copies its text. It never fails.
func (k *Kept) Add(l Line) error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if !k.headFull {
		room := k.limits.Head - k.head.bytes
		if room > 0 && k.head.wantsBlock() && !k.take() {
			room = 0
		}
		if int64(len(l.Text)) <= room {
			k.head.add(l)
			return nil
		}
		k.headFull = true
		if room > 0 {
			k.head.add(Line{l.Time, l.Text[:room]})
			l.Text = l.Text[room:]
		}
	}
	k.addToTail(l)
	return nil
}

// addToTail drops the oldest blocks beyond the limit, and also when all logs together have no memory left.
func (k *Kept) addToTail(l Line) {
	if k.tail.wantsBlock() && !k.take() && len(k.tail.blocks) > 0 {
		k.dropOldest()
	}
	k.tail.add(l)
	for len(k.tail.blocks) > 1 && k.tail.bytes-int64(k.tail.blocks[0].Size()) >= k.limits.Tail {
		k.dropOldest()
		if k.taken > len(k.head.blocks)+len(k.tail.blocks) {
			k.budget.give(1)
			k.taken--
		}
	}
}

func (k *Kept) take() bool {
	ok := k.budget.take()
	if ok {
		k.taken++
	}
	return ok
}

func (k *Kept) dropOldest() {
	size := int64(k.tail.blocks[0].Size())
	k.tail.blocks[0] = nil
	k.tail.blocks = k.tail.blocks[1:]
	k.tail.bytes -= size
	k.dropped += size
}

// Read returns the number of bytes that were added.
func (k *Kept) Read() int64 {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.head.bytes + k.tail.bytes + k.dropped
}

// Release returns the memory to the budget.
func (k *Kept) Release() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.budget.give(k.taken)
	k.head, k.tail, k.taken = sequence{}, sequence{}, 0
}

// Parts are the head and the tail of a log.
type Parts struct {
	Head, Tail []*Block
	// Bytes of both, after redaction.
	HeadBytes, TailBytes int64
	// Skipped is the number of bytes between them that are not kept; 0 if the log is whole.
	Skipped int64
}

// longLine is the length in bytes from which a line at the gap is cut, instead of left out as a whole.
const longLine = 64 << 10

// Parts returns the Parts of a whole log, redacted. Where something is skipped, the head ends and the tail begins with a
// whole line, unless the line there is long, or there is no other.
func (k *Kept) Parts(r Redaction) Parts { return k.parts(r, false) }

// PartsSoFar returns the Parts of a log that continues, or was cut. If there are patterns, a short unfinished line at the end is left out:
// it may end with the beginning of a secret, which no pattern matches.
func (k *Kept) PartsSoFar(r Redaction) Parts { return k.parts(r, len(r) > 0) }

func (k *Kept) parts(r Redaction, endOpen bool) Parts {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	tail, excess := k.trimmedTail()
	skipped := k.dropped + excess
	head := k.head
	switch {
	case endOpen && len(tail.blocks) > 0:
		tail, _ = wholeLines(tail)
	case endOpen && skipped == 0:
		head, _ = wholeLines(head)
	}
	if skipped > 0 {
		var cut int64
		head, cut = wholeLines(head)
		skipped += cut
	}
	redactedHead, redactedTail := r.apply(head.snapshot(), tail.snapshot(), skipped > 0)
	return Parts{redactedHead.blocks, redactedTail.blocks, redactedHead.bytes, redactedTail.bytes, skipped}
}

// trimmedTail returns the part of the tail within the limit, and the number of bytes before it.
func (k *Kept) trimmedTail() (tail sequence, excess int64) {
	if k.dropped == 0 && k.tail.bytes <= k.limits.Tail {
		return k.tail, 0
	}
	before := k.tail.bytes - k.limits.Tail // the bytes beyond the limit
	from := k.lineBegin(max(before, 0))
	k.tail.each(func(l Line) bool {
		size := int64(len(l.Text))
		switch {
		case excess+size <= from:
			excess += size
		case excess < from:
			tail.add(Line{l.Time, l.Text[from-excess:]})
			excess = from
		default:
			tail.add(l)
		}
		return true
	})
	return tail, excess
}

// lineBegin returns the place of the first line of the tail that begins at a place or behind it; the place itself if that line is
// too far away. The beginning of the tail is not the beginning of a line, as far as known.
func (k *Kept) lineBegin(place int64) int64 {
	at, begins, found := int64(0), false, int64(-1)
	k.tail.each(func(l Line) bool {
		if begins && at >= place {
			found = at
			return false
		}
		at, begins = at+int64(len(l.Text)), l.ends()
		return true
	})
	if found < 0 || found-place > longLine {
		return place
	}
	return found
}

// wholeLines leaves out a short line at the end that does not end, unless there is nothing else.
func wholeLines(s sequence) (whole sequence, cut int64) {
	at, end := int64(0), int64(0)
	s.each(func(l Line) bool {
		at += int64(len(l.Text))
		if l.ends() {
			end = at
		}
		return true
	})
	if end == 0 || end == at || at-end > longLine {
		return s, 0
	}
	s.each(func(l Line) bool {
		if whole.bytes == end {
			return false
		}
		whole.add(l)
		return true
	})
	return whole, s.bytes - end
}
