package barrier

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// event is one event of a watch.
type event struct {
	kind   string     // ADDED, MODIFIED, DELETED, ERROR or BOOKMARK
	object []byte     // as received
	seen   *framework // nil until the object has been read
}

// framework returns the Framework in the event.
func (e event) framework() (*framework, error) {
	if e.seen == nil {
		return parseFramework(e.object)
	}
	return e.seen, e.seen.complete()
}

// eventRoom normally holds a whole event, so that it is read without being copied: a status above 1 MiB is compressed.
const eventRoom = 4 << 20

// readEvents calls visit with every event, until visit returns an error, which is returned, or the stream ends.
func readEvents(stream io.Reader, visit func(event) error) error {
	lines := bufio.NewReaderSize(stream, eventRoom)
	for {
		e, err := readEvent(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the watch: %w", err)
		}
		if err := visit(e); err != nil {
			return err
		}
	}
}

// readEvent reads one event, which is valid until the next is read. The API server puts each on one line; if a proxy
// breaks the lines, the following ones belong to it too.
func readEvent(lines *bufio.Reader) (event, error) {
	var text []byte // earlier lines of the event
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return event{}, err // ignore a partial event
		}
		if text != nil {
			line = append(text, line...)
		}
		if err == nil {
			e, err := parseEvent(line)
			if err == nil {
				return e, e.fault()
			}
			if !errors.Is(err, errIncomplete) {
				return event{}, err
			}
		}
		if len(line) > maxAnswer {
			return event{}, fmt.Errorf("an event has not ended after %d bytes", len(line))
		}
		if text == nil {
			line = bytes.Clone(line) // it is in the reader's buffer
		}
		text = line
	}
}

func parseEvent(text []byte) (e event, err error) {
	r := &reader{text: text}
	r.members(func(name []byte) {
		switch string(name) {
		case "type":
			e.kind = r.string()
		case "object":
			e.object = r.spanned(func() { e.readObject(r) })
		}
	})
	return e, r.err
}

// readObject reads the object and finds its end in one pass, if the event's type shows that it is a Framework.
func (e *event) readObject(r *reader) {
	switch e.kind {
	case "ADDED", "MODIFIED":
		begin := r.at
		if e.seen = readFramework(r); errors.Is(r.err, errNotJSON) {
			// It is something else: a caller that needs a Framework gets the error.
			e.seen, r.at, r.err = nil, begin, nil
			r.raw()
		}
	default:
		r.raw()
	}
}

// fault is the error in an event of type ERROR.
func (e event) fault() error {
	if e.kind != "ERROR" {
		return nil
	}
	var status metav1.Status
	if err := json.Unmarshal(e.object, &status); err != nil {
		return err
	}
	return &refusal{code: int(status.Code), message: status.Message}
}
