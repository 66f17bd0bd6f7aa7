package kubectl

import (
	"fmt"
	"io"

	"golang.org/x/term"
)

// progress is a line of a terminal that is overwritten again and again. Without a terminal, nothing is shown.
type progress struct {
	out   io.Writer
	shown bool
}

func newProgress(out io.Writer) *progress {
	if !isTerminal(out) {
		return &progress{}
	}
	return &progress{out: direct(out)}
}

func (p *progress) show(text string) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r\x1b[K%s", cutTo(onOneLine(text), p.width()))
		p.shown = true
	}
}

// width is the number of characters that fit on a line. A longer line would wrap, and could not be overwritten.
func (p *progress) width() int {
	if fd, ok := terminalOf(p.out); ok {
		if width, _, err := term.GetSize(fd); err == nil && width > 0 {
			return width - 1
		}
	}
	return narrow
}

// narrow is the assumed width of a terminal that does not report its own.
const narrow = 79

// end leaves the line, so that the next output begins on its own line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
