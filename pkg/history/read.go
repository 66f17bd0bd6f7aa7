package history

import (
	"bytes"
	"encoding/json"
)

// Read returns the object in a line of history: a Framework, a Task or a Pod, by its kind. Ok is false for any other line. The
// result is a part of the line, and need not be valid JSON if the line was cut.
func Read(line []byte) (object json.RawMessage, ok bool) {
	_, object, ok = bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(marker))
	return object, ok
}
