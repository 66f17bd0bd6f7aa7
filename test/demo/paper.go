package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// paper is the output of a demo. It has colours if it is a terminal, and NO_COLOR is not set.
type paper struct {
	out     io.Writer
	colours bool
	began   time.Time
}

func newPaper(out *os.File) *paper {
	return &paper{out: out, colours: term.IsTerminal(int(out.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Colours of terminals.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

var toneColours = map[tone]string{good: green, bad: red, notable: yellow}

func (p *paper) in(colour, text string) string {
	if !p.colours || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// heading begins a part of the story.
func (p *paper) heading(text string) { fmt.Fprintf(p.out, "\n%s\n", p.in(bold, text)) }

func (p *paper) text(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(p.out, line)
	}
}

// begin starts the clock.
func (p *paper) begin() { p.began = time.Now() }

// happened writes lines with the time, and after them how all Tasks stand.
func (p *paper) happened(lines []line, counts string) {
	at := fmt.Sprintf("%5.1f s", time.Since(p.began).Seconds())
	for _, l := range lines {
		text := l.text
		if len(l.who) > 0 {
			text = listed(l.who) + " " + agreeing(l.text, len(l.who))
		}
		fmt.Fprintf(p.out, "%s  %s\n", p.in(faint, at), p.in(toneColours[l.tone], text))
		at = "       "
		if l.why != "" {
			fmt.Fprintf(p.out, "%s    %s\n", at, l.why)
		}
	}
	if len(lines) > 0 && counts != "" {
		fmt.Fprintf(p.out, "%s  %s\n", at, p.in(faint, counts))
	}
}
