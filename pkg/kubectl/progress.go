package kubectl

import (
	"fmt"
	"io"

	"golang.org/x/term"
)

// progress is a line of a terminal that is written over and over. Where there is no terminal, nothing is shown.
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

// width is how many characters fit on a line. One that went on to the next line would not be written over.
func (p *progress) width() int {
	if fd, ok := terminalOf(p.out); ok {
		if width, _, err := term.GetSize(fd); err == nil && width > 0 {
			return width - 1
		}
	}
	return narrow
}

// narrow is the width of a terminal that does not tell its own.
const narrow = 79

// end leaves the line, so that what is printed next begins on its own.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
