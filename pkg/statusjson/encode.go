package statusjson

import (
	"bytes"
	"encoding/json"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	// EarlyBytes is the size from which raw roles are compressed if early compression is on.
	EarlyBytes = 700 << 10
	// PlainBytes is the size of a whole status beyond which it is always compressed.
	PlainBytes = 1 << 20
	// StorageBytes limits the size of a whole object: the limit of the API server's storage, less some room for additions by the
	// API server.
	StorageBytes = 1536<<10 - 64<<10
)

// Role is one role to encode. A Task with the same pointer as in the previous call has not changed.
type Role struct {
	Name                          string
	InstanceUID                   string
	PodGracefulDeletionTimeoutSec *int64
	RetriedCount                  int32
	Items                         *v1.ItemsStatus
	Tasks                         []*v1.TaskStatus
}

// Report describes measures that were needed to make a status fit, and were not requested.
type Report struct {
	Compressed bool
	Cut        bool
}

// Encoder encodes successive statuses of one Framework. It remembers unchanged parts, so its cost is proportional to the
// changes. The zero value is ready to use. It is not safe for concurrent use.
type Encoder struct {
	// Early compresses roles from EarlyBytes on.
	Early bool

	chunks []*chunk
	cut    Cutting
}

// Encode returns the JSON to store for a status, with the given roles in place of its own. If it does not fit into most bytes,
// messages are cut; a status that is still too large is returned as it is.
func (e *Encoder) Encode(status *v1.FrameworkStatus, roles []Role, most int) ([]byte, Report, error) {
	if e.cut.outgrown(status, roles) {
		e.cut, e.chunks = Cutting{}, nil
	}
	for {
		text, compressed, err := e.encode(e.cut.own(status), roles, min(most, PlainBytes))
		if err != nil || len(text) <= most || !e.cut.next(status, roles, float64(len(text))/float64(most)) {
			return text, Report{Compressed: compressed && !e.wantsEarly(), Cut: e.cut.active()}, err
		}
		e.chunks = nil
	}
}

// Cutting returns how messages were cut in the last encoding.
func (e *Encoder) Cutting() Cutting { return e.cut }

// Size returns the size of the roles in the last encoding, before compression; 0 after Forget.
func (e *Encoder) Size() int { return e.rawSize() }

// Forget drops the last encoding. The next status is encoded from scratch, with its messages cut as before.
func (e *Encoder) Forget() { e.chunks = nil }

// encode returns the status in its plain form if that has at most plain bytes, and compressed otherwise.
func (e *Encoder) encode(status *v1.FrameworkStatus, roles []Role, plain int) (text []byte, compressed bool, err error) {
	if err := e.update(roles); err != nil {
		return nil, false, err
	}
	if !e.wantsEarly() && e.rawSize() <= plain {
		if text, err := encodeRaw(status, e.raw()); err != nil || len(text) <= plain {
			return text, false, err
		}
	}
	text, err = e.encodeCompressed(status)
	return text, true, err
}

func (e *Encoder) wantsEarly() bool { return e.Early && e.rawSize() >= EarlyBytes }

func (e *Encoder) rawSize() int {
	size := 0
	for _, c := range e.chunks {
		size += len(c.raw)
	}
	return size
}

func (e *Encoder) raw() []byte {
	var all bytes.Buffer
	all.Grow(e.rawSize())
	for _, c := range e.chunks {
		all.Write(c.raw)
	}
	return all.Bytes()
}

func (e *Encoder) encodeCompressed(status *v1.FrameworkStatus) ([]byte, error) {
	parts := make([][]byte, len(e.chunks))
	for i, c := range e.chunks {
		part, err := c.compressed()
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	all := bytes.Join(parts, nil)
	s := *status
	s.AttemptStatus.TaskRoleStatuses, s.AttemptStatus.TaskRoleStatusesCompressed = nil, all
	return json.Marshal(&s)
}

// encodeRaw inserts the JSON of the roles. The encoder would check and copy all of it byte by byte, so it encodes only the
// rest.
func encodeRaw(status *v1.FrameworkStatus, roles []byte) ([]byte, error) {
	type attempt struct {
		v1.FrameworkAttemptStatus
		TaskRoleStatuses *struct{} `json:"taskRoleStatuses,omitempty"`
	}
	type whole struct {
		v1.FrameworkStatus
		AttemptStatus *struct{} `json:"attemptStatus,omitempty"`
	}
	outer, err := json.Marshal(whole{FrameworkStatus: *status})
	if err != nil {
		return nil, err
	}
	inner, err := json.Marshal(attempt{FrameworkAttemptStatus: status.AttemptStatus})
	if err != nil {
		return nil, err
	}
	return slices.Concat(open(outer), []byte(`,"attemptStatus":`), open(inner), []byte(`,"taskRoleStatuses":`), roles, []byte("}}")), nil
}

// open returns a JSON object, which must have fields, without its closing brace.
func open(object []byte) []byte { return object[:len(object)-1] }
