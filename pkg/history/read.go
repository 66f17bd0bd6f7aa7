package history

import (
	"bytes"
	"encoding/json"
)

// Read returns the object that a line of history tells of: a Framework, a Task or a Pod, by its kind. Ok is false of any
// other line of a log. What comes back is part of the line, and need not be JSON if the line was cut.
func Read(line []byte) (object json.RawMessage, ok bool) {
	_, object, ok = bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(marker))
	return object, ok
}
