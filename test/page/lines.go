package page

import (
	"iter"
	"strings"
)

// line is a line of a page, from begin until end, including its line break.
type line struct {
	part       part
	begin, end int
	// text has no line break; for an opening fence, it is the language.
	text string
}

// part is where a line of a page is.
type part int

const (
	prose part = iota
	opening
	code
	closing
)

const fence = "```"

// linesOf returns the lines of a page with their parts.
func linesOf(page string) iter.Seq[line] {
	return func(yield func(line) bool) {
		inBlock, indent, begin := false, "", 0
		for whole := range strings.Lines(page) {
			l := line{part: prose, begin: begin, end: begin + len(whole), text: strings.TrimSuffix(whole, "\n")}
			begin = l.end
			trimmed := strings.TrimLeft(l.text, " ")
			switch after, fenced := strings.CutPrefix(trimmed, fence); {
			case fenced && inBlock:
				inBlock, l.part = false, closing
			case fenced:
				inBlock, l.part = true, opening
				indent, l.text = l.text[:len(l.text)-len(trimmed)], after
			case inBlock:
				l.part, l.text = code, strings.TrimPrefix(l.text, indent)
			}
			if !yield(l) {
				return
			}
		}
	}
}
