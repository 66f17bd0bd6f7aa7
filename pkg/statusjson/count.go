package statusjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	if err := json.Unmarshal(stored, &status); err != nil {
		return fmt.Errorf("status does not decode: %w", err)
	}
	return checkCounts(bytes.NewReader(status.AttemptStatus.TaskRoleStatuses))
}

// checkCounts reads roles, one at a time, and keeps nothing of them. A value of the wrong type is a fault too, since a
// decoder would go on after it.
func checkCounts(roles io.Reader) error {
	d := json.NewDecoder(roles)
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return nil // whoever decodes all of it says what is wrong
	}
	for tasks, n := 0, 1; d.More(); n++ {
		var role struct {
			TaskStatuses count `json:"taskStatuses"`
		}
		if err := d.Decode(&role); err != nil {
			return err
		}
		if tasks += int(role.TaskStatuses); tasks > mostTasks || n > mostRoles {
			return errTooMany
		}
	}
	return nil
}

// count is how many elements an array has, or several do that have the same key.
type count int

func (c *count) UnmarshalJSON(array []byte) error {
	var elements []nothing
	err := json.Unmarshal(array, &elements)
	*c += count(len(elements))
	return err
}

// nothing is any JSON value, and takes no memory.
type nothing struct{}

func (*nothing) UnmarshalJSON([]byte) error { return nil }
