package kubectl

import (
	"io"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
)

// Objects, events, logs and errors of the API server contain text written by others. All output is checked by steers: nothing
// in it can move the cursor, set a title, or disguise one text as another.

// steers reports whether a terminal acts on a character, or reorders others because of it, rather than show it.
func steers(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// onOneLine makes text of others safe to print within a line: characters that steer the terminal become spaces, and bytes that
// are no UTF-8 become U+FFFD.
func onOneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return ' '
		}
		return r
	}, text)
}

// plainWriter passes on text without control characters, except tabs and line ends. Each Write must have whole characters.
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

// plainStreams returns the streams for all output of commands.
func plainStreams(s genericiooptions.IOStreams) genericiooptions.IOStreams {
	s.Out, s.ErrOut = plainWriter{s.Out}, plainWriter{s.ErrOut}
	return s
}

// direct returns the writer below an output, for our own escape codes, and to detect a terminal.
func direct(out io.Writer) io.Writer {
	if w, ok := out.(plainWriter); ok {
		return w.to
	}
	return out
}

func isTerminal(out io.Writer) bool { return printers.IsTerminal(direct(out)) }

// data returns the writer for documents and logs: files and pipes get every byte, a terminal does not.
func data(out io.Writer) io.Writer {
	if isTerminal(out) {
		return out
	}
	return direct(out)
}

// graphics matches the sequences that set colors and the like, and no others.
var graphics = regexp.MustCompile("\x1b\\[[0-9;:]*m")

const resetGraphics = "\x1b[0m"

// colored returns a line of a log for a terminal: it keeps its colors, reset at its end, and its tabs.
func colored(line string) string {
	line = strings.TrimRight(line, "\r\n")
	var b strings.Builder
	from, colors := 0, graphics.FindAllStringIndex(line, -1)
	for _, at := range colors {
		b.WriteString(plainLine(line[from:at[0]]) + line[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(plainLine(line[from:]))
	if len(colors) > 0 {
		b.WriteString(resetGraphics)
	}
	return b.String() + "\n"
}

// plainLine is onOneLine, but keeps tabs.
func plainLine(text string) string {
	parts := strings.Split(text, "\t")
	for i := range parts {
		parts[i] = onOneLine(parts[i])
	}
	return strings.Join(parts, "\t")
}
