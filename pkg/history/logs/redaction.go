package logs

import (
	"bytes"
	"fmt"
	"regexp"
)

const (
	// mostRedacted is the longest text that patterns are applied to, in bytes. In a longer line, a secret across its border is not found.
	mostRedacted = 1 << 20
	mark         = "[redacted]"
	// The limits of patterns: their number, and the length of each in bytes.
	mostPatterns = 100
	mostPattern  = 4 << 10
)

// Redaction replaces each match of its patterns. An empty Redaction changes nothing.
type Redaction []*regexp.Regexp

// NewRedaction compiles patterns in the syntax of RE2.
func NewRedaction(patterns []string) (r Redaction, err error) {
	if len(patterns) > mostPatterns {
		return nil, fmt.Errorf("%d patterns: at most %d are allowed: join some with |", len(patterns), mostPatterns)
	}
	for i, p := range patterns {
		if len(p) > mostPattern {
			return nil, fmt.Errorf("[%d]: %d bytes: at most %d are allowed", i, len(p), mostPattern)
		}
		compiled, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		if compiled.MatchString("") {
			return nil, fmt.Errorf("[%d]: %q matches an empty text, and would hide everything: require a character", i, p)
		}
		r = append(r, compiled)
	}
	return r, nil
}

func (r Redaction) text(text []byte) []byte {
	line, feed := bytes.CutSuffix(text, []byte("\n"))
	for _, p := range r {
		line = p.ReplaceAllLiteral(line, []byte(mark))
	}
	if feed {
		line = append(line[:len(line):len(line)], '\n')
	}
	return line
}

// apply redacts whole lines. Without a gap between the parts, a line may be in both.
func (r Redaction) apply(head, tail sequence, gap bool) (sequence, sequence) {
	if len(r) == 0 {
		return head, tail
	}
	var out [2]sequence
	var pending Line
	flush := func(into *sequence) {
		if len(pending.Text) > 0 {
			addLong(into, Line{pending.Time, r.text(pending.Text)})
		}
		pending.Text = pending.Text[:0]
	}
	for i, part := range []sequence{head, tail} {
		part.each(func(l Line) bool {
			if len(pending.Text) == 0 {
				pending.Time = l.Time
			}
			pending.Text = append(pending.Text, l.Text...)
			if l.ends() || len(pending.Text) >= mostRedacted {
				flush(&out[i])
			}
			return true
		})
		if gap || i == 1 {
			flush(&out[i])
		}
	}
	return out[0], out[1]
}

// addLong adds a line in pieces.
func addLong(into *sequence, l Line) {
	for len(l.Text) > mostPiece {
		into.add(Line{l.Time, l.Text[:mostPiece]})
		l.Text = l.Text[mostPiece:]
	}
	into.add(l)
}
