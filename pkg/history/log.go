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

// Switches say which triggers are logged (logObjectSnapshot in the configuration).
type Switches struct {
	OnFrameworkRetry, OnFrameworkDeletion, OnTaskRetry, OnTaskDeletion, OnPodDeletion bool
}

// Log writes the history of one cluster. Its methods may be called by several goroutines at once, as far as the
// writer may.
type Log struct {
	out      io.Writer
	switches Switches
	now      func() time.Time
	pid      int
}

// New returns a log that hands every line to out in one call.
func New(out io.Writer, s Switches) *Log {
	return &Log{out: out, switches: s, now: time.Now, pid: os.Getpid()}
}

// WantsPods reports whether PodDeletion writes anything. A nil log wants nothing.
func (l *Log) WantsPods() bool { return l != nil && l.switches.OnPodDeletion }

// site stands where klog has the place in the code. Collectors want something there.
const site = "history.go:0"

// oneLine keeps a name from ending the line. Names in a spec have no line breaks; those in a status somebody edited may.
var oneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// marker is what collectors look for in a line.
const marker = ": ObjectSnapshot: "

// WithoutMarker returns a writer of lines that are not history. Whoever has words in such a line, such as a container that
// fails, cannot have a collector take it for one: the marker is broken up.
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

// write writes one line. What cannot be encoded is left out: history is told as far as possible.
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
	_, _ = l.out.Write(line.Bytes()) // a log that cannot be written has no place to say so
}
