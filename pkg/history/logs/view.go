package logs

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// Chunk describes a block of a stored log.
type Chunk struct {
	// Part is 0 in the head and 1 in the tail, and Seq counts the blocks of the part.
	Part, Seq int
	// First and Last are the earliest and the latest time, in microseconds since 1970; 0 without times.
	First, Last int64
	// Lines that end in the block, and the bytes of its text.
	Lines, Bytes int
}

// View selects a part of a log.
type View struct {
	// Since and Until limit the times of lines: from Since on, and before Until. Zero sets no limit.
	Since, Until time.Time
	// TailLines is the number of lines to show, counted from the end; nil shows all.
	TailLines *int
	// Search shows only lines with this text.
	Search string
	// Timestamps puts its time before each line.
	Timestamps bool
}

// Text is a stored log.
type Text struct {
	Chunks []Chunk
	// Skipped is the number of bytes between head and tail; -1 if it is not known.
	Skipped int64
	// Read reads the block of a chunk.
	Read func(Chunk) (*Block, error)
}

// shownLine is a line as it is shown, or a part of a very long one.
type shownLine struct {
	Line
	begins bool
	gap    bool // represents the missing part, and is no line
}

// stampFormat is the form of times before lines.
const stampFormat = "2006-01-02T15:04:05.000000000Z07:00 "

// Write writes the selected part. Each block is read at most twice.
func (v View) Write(w io.Writer, t Text) error {
	skip, err := v.skipped(t)
	if err != nil {
		return err
	}
	from, passed := 0, 0
	if !v.filters() { // earlier blocks need not be read
		for from < len(t.Chunks)-1 && passed+t.Chunks[from].Lines < skip {
			passed += t.Chunks[from].Lines
			from++
		}
	}
	shown := passed >= skip // the line before has been shown
	return t.each(v, from, func(l shownLine) error {
		if l.gap {
			return t.writeGap(w, v, shown)
		}
		if l.begins || passed == 0 {
			shown = passed >= skip
		}
		if l.ends() {
			passed++
		}
		if !shown {
			return nil
		}
		return v.writeLine(w, l)
	})
}

func (v View) filters() bool { return v.Search != "" || !v.Since.IsZero() || !v.Until.IsZero() }

// skipped is the number of lines before the lines that TailLines selects.
func (v View) skipped(t Text) (int, error) {
	if v.TailLines == nil || len(t.Chunks) == 0 {
		return 0, nil
	}
	from, total, open := 0, 0, false
	if !v.filters() { // the index knows all lines but the one at the end that has no line feed
		from = len(t.Chunks) - 1
		for _, c := range t.Chunks[:from] {
			total += c.Lines
		}
	}
	err := t.each(v, from, func(l shownLine) error {
		if open = !l.gap && !l.ends(); !open && !l.gap {
			total++
		}
		return nil
	})
	if open {
		total++
	}
	return max(total-max(*v.TailLines, 0), 0), err
}

func (t Text) writeGap(w io.Writer, v View, shown bool) error {
	if v.filters() || !shown {
		return nil
	}
	if t.Skipped < 0 {
		_, err := io.WriteString(w, "... an unknown number of bytes not kept ...\n")
		return err
	}
	_, err := fmt.Fprintf(w, "... %d bytes not kept ...\n", t.Skipped)
	return err
}

func (v View) writeLine(w io.Writer, l shownLine) error {
	if v.Timestamps && l.begins && l.Time != 0 {
		if _, err := w.Write(time.Unix(0, l.Time).UTC().AppendFormat(nil, stampFormat)); err != nil {
			return err
		}
	}
	_, err := w.Write(l.Text)
	return err
}

// each calls each for the lines that pass the filters, from a chunk on.
func (t Text) each(v View, from int, each func(shownLine) error) error {
	pending := shownLine{begins: true}
	var failed error
	flush := func() bool {
		if len(pending.Text) > 0 && v.admits(pending) {
			failed = each(pending)
		}
		pending = shownLine{Line{0, pending.Text[:0]}, len(pending.Text) == 0 || pending.ends(), false}
		return failed == nil
	}
	add := func(l Line) bool {
		if len(pending.Text) == 0 {
			pending.Time = l.Time
		}
		pending.Text = append(pending.Text, l.Text...)
		return !l.ends() && len(pending.Text) < mostRedacted || flush()
	}
	for i := from; i < len(t.Chunks); i++ {
		if t.Skipped != 0 && t.Chunks[i].Part == 1 && (i == 0 || t.Chunks[i-1].Part == 0) {
			if len(pending.Text) > 0 {
				add(Line{pending.Time, []byte("\n")})
			}
			if pending.begins = true; failed == nil {
				failed = each(shownLine{gap: true})
			}
		}
		if failed != nil {
			return failed
		}
		if v.passes(t.Chunks[i]) {
			continue
		}
		b, err := t.Read(t.Chunks[i])
		if err != nil {
			return err
		}
		b.Each(add)
		if failed != nil {
			return failed
		}
	}
	flush()
	return failed
}

// passes reports that a chunk has no line within the times.
func (v View) passes(c Chunk) bool {
	return !v.Since.IsZero() && c.Last < v.Since.UnixMicro() || !v.Until.IsZero() && c.First > v.Until.UnixMicro()
}

func (v View) admits(l shownLine) bool {
	return (v.Since.IsZero() || l.Time >= v.Since.UnixNano()) && (v.Until.IsZero() || l.Time < v.Until.UnixNano()) &&
		(v.Search == "" || bytes.Contains(l.Text, []byte(v.Search)))
}
