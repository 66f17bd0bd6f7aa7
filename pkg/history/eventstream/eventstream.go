package eventstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Heartbeat is how often a stream without events should Beat: proxies close connections that are silent for a minute.
const Heartbeat = 15 * time.Second

// writeTimeout limits how long a client may take for one event.
const writeTimeout = 30 * time.Second

// Stream is an answer that does not end by itself. It is not safe for concurrent use.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Begin answers with the headers of a stream. The status can no longer be changed.
func Begin(w http.ResponseWriter) *Stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	// A proxy that compresses would wait until it has enough to compress.
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	s := &Stream{w, http.NewResponseController(w)}
	// The limit for reading the request would otherwise end its context, and with it the stream.
	_ = s.control.SetReadDeadline(time.Time{}) // not supported in some tests
	return s
}

// Send sends an event with its data in JSON. An error means that the client has gone.
func (s *Stream) Send(event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return s.write("event: %s\ndata: %s\n\n", event, text) // JSON has no line feeds
}

// Beat sends a comment, which clients ignore.
func (s *Stream) Beat() error { return s.write(":\n\n") }

func (s *Stream) write(format string, args ...any) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported in some tests
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return err
	}
	return s.control.Flush()
}
