package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Switches select the triggers that are logged (logObjectSnapshot in the configuration).
type Switches struct {
	OnFrameworkRetry, OnFrameworkDeletion, OnTaskRetry, OnTaskDeletion, OnPodDeletion bool
}

// Log writes the history of one cluster. It is safe for concurrent use if the writer is.
type Log struct {
	out      io.Writer
	switches Switches
	now      func() time.Time
	pid      int
}

// New returns a log that passes every line to out in one call.
func New(out io.Writer, s Switches) *Log {
	return &Log{out: out, switches: s, now: time.Now, pid: os.Getpid()}
}

// WantsPods reports whether PodDeletion writes anything. It is false for a nil log.
func (l *Log) WantsPods() bool { return l != nil && l.switches.OnPodDeletion }

// site stands where klog has the source position. Collectors expect something there.
const site = "history.go:0"

// oneLine keeps a name from ending the line. Names in a spec have no line breaks; names in an edited status may.
var oneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// marker is the text that collectors search for in a line.
const marker = ": ObjectSnapshot: "

// WithoutMarker returns a writer for lines that are not history. It breaks up the marker, so that text of others in such a
// line, for example of a failed container, cannot pass as history.
func WithoutMarker(out io.Writer) io.Writer { return unmarked{out} }

type unmarked struct{ out io.Writer }

func (u unmarked) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte(marker)) {
		return u.out.Write(line)
	}
	if _, err := u.out.Write(bytes.ReplaceAll(line, []byte(marker), []byte(": Object Snapshot: "))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// write writes one line. An object that cannot be encoded is skipped: the history is best effort.
func (l *Log) write(about, text, trigger string, object any) {
	body, err := json.Marshal(object)
	if err != nil {
		return
	}
	t := l.now()
	var line bytes.Buffer
	fmt.Fprintf(&line, "I%02d%02d %02d:%02d:%02d.%06d %7d %s] %s: %s: %s"+marker,
		t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond()/1000, l.pid, site, oneLine.Replace(about), text, trigger)
	line.Write(body)
	line.WriteByte('\n')
	_, _ = l.out.Write(line.Bytes()) // there is no other place to report this
}
