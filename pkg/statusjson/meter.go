package statusjson

import (
	"bytes"
	"errors"
	"io"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Three bytes of JSON are enough for a role, a Task, or a smaller thing in it. Each takes hundreds of bytes of memory.
// Tasks that a scale-down is removing come on top of those of the spec.
const (
	mostRoles  = 5 * 200
	mostTasks  = 5 * v1.MaxTasks
	mostValues = 4_000_000
)

var errTooMany = errors.New("more Tasks, or more about them, than any Framework has")

// meter passes the JSON of roles on, and fails when there is too much in it. It counts commas: as many things as that
// and one more are in a list.
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

// separate counts by what the comma is in: the list of roles, a list in a role, which only its Tasks are, or anything.
func (m *meter) separate() {
	m.values++
	switch m.depth {
	case 1:
		m.roles++
	case 3:
		m.tasks++
	}
}

// checkPlain looks at a stored status whose roles are not compressed. They are in a list of attemptStatus, which is two
// levels deep; what else is as deep does not count for much.
func checkPlain(stored []byte) error {
	_, err := io.Copy(io.Discard, &meter{from: bytes.NewReader(stored), depth: -2})
	return err
}
