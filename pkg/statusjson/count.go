package statusjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Three bytes of JSON are enough for a Task or a role, which take hundreds of bytes of memory. So they are counted before
// they are read. Tasks that a scale-down is removing come on top of those of the spec.
const (
	mostTasks = 5 * v1.MaxTasks
	mostRoles = 5 * 200
)

var errTooMany = errors.New("more Tasks than any Framework has")

// checkPlain looks at the roles of a stored status that are not compressed.
func checkPlain(stored []byte) error {
	var status struct {
		AttemptStatus struct {
			TaskRoleStatuses json.RawMessage `json:"taskRoleStatuses"`
		} `json:"attemptStatus"`
	}
	if json.Unmarshal(stored, &status) != nil {
		return nil // whoever decodes all of it says what is wrong
	}
	return checkCounts(bytes.NewReader(status.AttemptStatus.TaskRoleStatuses))
}

// checkCounts reads roles without keeping anything of them. It finds no fault but their number.
func checkCounts(roles io.Reader) error {
	d := json.NewDecoder(roles)
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return nil
	}
	for tasks, n := 0, 1; d.More(); n++ {
		var role struct {
			TaskStatuses []nothing `json:"taskStatuses"`
		}
		if d.Decode(&role) != nil {
			return nil
		}
		if tasks += len(role.TaskStatuses); tasks > mostTasks || n > mostRoles {
			return errTooMany
		}
	}
	return nil
}

// nothing is any JSON value, and takes no memory.
type nothing struct{}

func (*nothing) UnmarshalJSON([]byte) error { return nil }
