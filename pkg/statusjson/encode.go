package statusjson

import (
	"bytes"
	"encoding/json"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	// EarlyBytes is the size of the raw roles from which on they are compressed if early compression is on.
	EarlyBytes = 700 << 10
	// PlainBytes is the size of a whole status beyond which it is compressed in any case.
	PlainBytes = 1 << 20
	// StorageBytes is how large a whole object may be: what the API server's storage takes, less some room for
	// what the API server adds.
	StorageBytes = 1536<<10 - 64<<10
)

// Role is one role to encode. A Task that is the same pointer as in the call before has not changed.
type Role struct {
	Name                          string
	InstanceUID                   string
	PodGracefulDeletionTimeoutSec *int64
	RetriedCount                  int32
	Tasks                         []*v1.TaskStatus
}

// Report says what had to be done to make a status fit, and had not been asked for.
type Report struct {
	Compressed bool
	Cut        bool
}

// Encoder encodes the status of one Framework again and again. It remembers what does not change, so its cost
// follows what does. The zero value is ready. It must not be used by two goroutines at once.
type Encoder struct {
	// Early compresses roles from EarlyBytes on.
	Early bool

	chunks []*chunk
	cut    Cutting
}

// Encode returns the JSON to store for a status, whose own roles are ignored in favour of the given ones. To make
// it fit into so many bytes, messages are cut if need be; what is still too large then is returned as it is.
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

// Cutting returns how messages were cut in what was encoded last.
func (e *Encoder) Cutting() Cutting { return e.cut }

// Size returns how many bytes the roles had in what was encoded last, before they were compressed; 0 after Forget.
func (e *Encoder) Size() int { return e.rawSize() }

// Forget drops what was encoded last. The next status is encoded from scratch, with its messages cut as before.
func (e *Encoder) Forget() { e.chunks = nil }

// encode returns the status in its plain form if that has at most so many bytes, and compressed otherwise.
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
	var all []byte
	for _, c := range e.chunks {
		part, err := c.compressed()
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	s := *status
	s.AttemptStatus.TaskRoleStatuses, s.AttemptStatus.TaskRoleStatusesCompressed = nil, all
	return json.Marshal(&s)
}

// encodeRaw puts the JSON of the roles into its place. The encoder would check and copy all of it byte by byte, so it is
// given the rest only.
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

// open returns a JSON object, which must have fields, without its end.
func open(object []byte) []byte { return object[:len(object)-1] }
