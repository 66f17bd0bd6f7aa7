package pluginhost

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hashicorp/go-hclog"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Limits of a plugin's output to the log. Lines beyond them are counted, and the count is logged.
const (
	linesPerSecond = 20
	linesAtOnce    = 200
	maxLine        = 16 << 10 // read of each line; the rest is dropped
	maxText        = 2 << 10  // logged of the message and of each value
	maxValues      = 16
	lastWords      = 3 // lines that a fault repeats
)

// output is a plugin's output on its way to the log. Its methods may be called concurrently.
type output struct {
	log hclog.Logger

	mu      sync.Mutex
	now     func() time.Time
	tokens  float64
	at      time.Time
	dropped int
	words   []string
	partial []byte // the beginning of a line that Write has not completed
}

func newOutput(log hclog.Logger, now func() time.Time) *output {
	return &output{log: log, now: now, tokens: linesAtOnce, at: now()}
}

// begin forgets the last words of the previous process.
func (o *output) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.words, o.partial = nil, nil
}

// copy logs lines until the end.
func (o *output) copy(r io.Reader) {
	o.copyLines(bufio.NewReaderSize(r, maxLine))
}

func (o *output) copyLines(r *bufio.Reader) {
	for {
		line, more, err := r.ReadLine()
		if err != nil {
			return
		}
		o.line(string(line))
		for more && err == nil {
			_, more, err = r.ReadLine()
		}
	}
}

// Write accepts pieces that need not be whole lines.
func (o *output) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		line, after, whole := cutLine(rest)
		rest = after
		o.mu.Lock()
		o.partial = append(o.partial, line[:min(len(line), maxLine-len(o.partial))]...)
		text := string(o.partial)
		if whole {
			o.partial = o.partial[:0]
		}
		o.mu.Unlock()
		if whole {
			o.line(text)
		}
	}
	return len(b), nil
}

func cutLine(b []byte) (line, after []byte, whole bool) {
	if i := slices.Index(b, '\n'); i >= 0 {
		return b[:i], b[i+1:], true
	}
	return b, nil, false
}

func (o *output) line(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	dropped, ok := o.admit()
	if dropped > 0 {
		o.log.Warn("dropped lines of the plugin's output", "count", dropped)
	}
	if !ok {
		o.remember(text)
		return
	}
	e := parseEntry(text)
	if !e.structured || e.level >= hclog.Warn {
		o.remember(e.message)
	}
	o.log.Log(e.level, e.message, e.values...)
}

// admit accepts a line unless there have been too many, and returns how many were dropped before it.
func (o *output) admit() (dropped int, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	o.tokens = min(linesAtOnce, o.tokens+linesPerSecond*now.Sub(o.at).Seconds())
	o.at = now
	if o.tokens < 1 {
		o.dropped++
		return 0, false
	}
	o.tokens--
	dropped, o.dropped = o.dropped, 0
	return dropped, true
}

// remember keeps the last lines. Go's message before it ends a program is more useful than the stack that follows.
func (o *output) remember(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.words) > 0 && isPanic(o.words[0]) {
		return
	}
	if isPanic(text) {
		o.words = nil
	}
	if len(o.words) == lastWords {
		o.words = o.words[1:]
	}
	o.words = append(o.words, completion.Cut(text, 200))
}

func isPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// last returns the last lines, joined into one.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.words) > 0 && isPanic(o.words[0]) {
		return o.words[0]
	}
	return strings.Join(o.words, " | ")
}

// entry is a line of the log.
type entry struct {
	level      hclog.Level
	message    string
	values     []any
	structured bool // it was JSON
}

// parseEntry understands hclog's JSON. Any other line is a message.
func parseEntry(line string) entry {
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil || fields["@message"] == nil {
		level := hclog.Info
		if isPanic(line) {
			level = hclog.Error
		}
		return entry{level: level, message: oneLine(line)}
	}
	e := entry{structured: true, level: hclog.LevelFromString(fmt.Sprint(fields["@level"])),
		message: oneLine(fmt.Sprint(fields["@message"]))}
	if e.level == hclog.NoLevel || e.level == hclog.Off {
		e.level = hclog.Info
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !strings.HasPrefix(key, "@") && len(e.values) < 2*maxValues {
			e.values = append(e.values, completion.Cut(oneLine(key), 100), oneLine(fmt.Sprint(fields[key])))
		}
	}
	return e
}

// oneLine prevents a plugin from writing lines that look like the controller's own.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	return completion.Cut(text, maxText)
}
