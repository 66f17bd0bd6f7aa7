package kubectl

import (
	"io"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
)

// Objects, events, logs and errors of the API server contain text written by others. All that is printed goes through steers: nothing in it
// moves the cursor, sets a title, or makes a text look like another one.

// steers reports whether a terminal does something with a character, or orders others by it, rather than show it.
func steers(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// onOneLine returns a text of others as a part of a line, in which nothing steers the terminal. Bytes that are no UTF-8 become
// U+FFFD.
func onOneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return ' '
		}
		return r
	}, text)
}

// plainWriter passes text on in which nothing steers the terminal but ends of lines and tabs. Each Write has whole characters.
type plainWriter struct{ to io.Writer }

func (w plainWriter) Write(p []byte) (int, error) {
	text := strings.Map(func(r rune) rune {
		if steers(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, string(p))
	if _, err := io.WriteString(w.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// plainStreams returns streams to which all output of commands goes.
func plainStreams(s genericiooptions.IOStreams) genericiooptions.IOStreams {
	s.Out, s.ErrOut = plainWriter{s.Out}, plainWriter{s.ErrOut}
	return s
}

// direct returns what an output writes to, for escape codes of our own, and to see whether it is a terminal.
func direct(out io.Writer) io.Writer {
	if w, ok := out.(plainWriter); ok {
		return w.to
	}
	return out
}

func isTerminal(out io.Writer) bool { return printers.IsTerminal(direct(out)) }

// data returns where documents and logs are written for programs and files, which get every byte; a terminal does not.
func data(out io.Writer) io.Writer {
	if isTerminal(out) {
		return out
	}
	return direct(out)
}

// graphics are the sequences that set colours and the like, and nothing else.
var graphics = regexp.MustCompile("\x1b\\[[0-9;:]*m")

const resetGraphics = "\x1b[0m"

// coloured returns a line of a log for a terminal: it keeps its colours, up to its end, and its tabs.
func coloured(line string) string {
	line = strings.TrimRight(line, "\r\n")
	var b strings.Builder
	from, colours := 0, graphics.FindAllStringIndex(line, -1)
	for _, at := range colours {
		b.WriteString(plainLine(line[from:at[0]]) + line[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(plainLine(line[from:]))
	if len(colours) > 0 {
		b.WriteString(resetGraphics)
	}
	return b.String() + "\n"
}

// plainLine is onOneLine, but for tabs.
func plainLine(text string) string {
	parts := strings.Split(text, "\t")
	for i := range parts {
		parts[i] = onOneLine(parts[i])
	}
	return strings.Join(parts, "\t")
}
