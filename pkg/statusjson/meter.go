package statusjson

import (
	"bytes"
	"errors"
	"io"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Three bytes of JSON are enough for a role, a Task, or a smaller value in it. Each takes hundreds of bytes of memory. Tasks
// being removed by a scale-down come on top of those in the spec.
const (
	mostRoles  = 5 * 200
	mostTasks  = 5 * v1.MaxTasks
	mostValues = 4_000_000
)

var errTooMany = errors.New("more Tasks, or more about them, than any Framework has")

// meter passes on the JSON of roles, and fails when it has too many values. It counts commas: a list has one value more than
// commas.
type meter struct {
	from                 io.Reader
	inText, escaped      bool
	depth                int
	roles, tasks, values int // commas
}

// Read fails with errTooMany.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	for _, b := range p[:n] {
		m.take(b)
	}
	if m.roles >= mostRoles || m.tasks >= mostTasks || m.values > mostValues {
		return 0, errTooMany
	}
	return n, err
}

func (m *meter) take(b byte) {
	switch {
	case m.escaped:
		m.escaped = false
	case m.inText:
		m.inText, m.escaped = b != '"', b == '\\'
	case b == '"':
		m.inText = true
	case b == '[' || b == '{':
		m.depth++
	case b == ']' || b == '}':
		m.depth--
	case b == ',':
		m.separate()
	}
}

// separate counts a comma by its context: the list of roles, a list in a role, which can only be its Tasks, or anything else.
func (m *meter) separate() {
	m.values++
	switch m.depth {
	case 1:
		m.roles++
	case 3:
		m.tasks++
	}
}

// checkPlain checks a stored status whose roles are not compressed. They are in a list of attemptStatus, two levels deep;
// other values at this depth are few.
func checkPlain(stored []byte) error {
	_, err := io.Copy(io.Discard, &meter{from: bytes.NewReader(stored), depth: -2})
	return err
}
