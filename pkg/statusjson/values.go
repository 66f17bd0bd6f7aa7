package statusjson

import (
	"errors"
	"io"
)

// mostValues is how many values compressed roles may have: containers and attributes are smaller than Tasks, and there may
// be more of them, but three bytes are enough for each.
const mostValues = 4_000_000

var errTooManyValues = errors.New("more values than fit any Framework")

// valueCounter passes JSON on, and fails when there are too many commas in it.
type valueCounter struct {
	from            io.Reader
	inText, escaped bool
	values          int
}

func (r *valueCounter) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	for _, c := range p[:n] {
		switch {
		case r.escaped:
			r.escaped = false
		case r.inText:
			r.inText, r.escaped = c != '"', c == '\\'
		case c == '"':
			r.inText = true
		case c == ',':
			r.values++
		}
	}
	if r.values > mostValues {
		return 0, errTooManyValues
	}
	return n, err
}
