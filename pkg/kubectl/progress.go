package kubectl

import (
	"fmt"
	"io"

	"k8s.io/cli-runtime/pkg/printers"
)

// progress is a line of a terminal that is written over and over. Where there is no terminal, nothing is shown.
type progress struct {
	out   io.Writer
	shown bool
}

func newProgress(out io.Writer) *progress {
	if !printers.IsTerminal(out) {
		out = nil
	}
	return &progress{out: out}
}

func (p *progress) show(text string) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r\x1b[K%s", onOneLine(text))
		p.shown = true
	}
}

// end leaves the line, so that what is printed next begins on its own.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
