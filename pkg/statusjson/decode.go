package statusjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// MaxRawBytes limits the size of decompressed data. It is several times the need of a Framework with ten thousand Tasks, and
// keeps a forged status from using up the memory.
const MaxRawBytes = 256 << 20

// Decode decodes a stored status, decompressed if need be. It returns nil for null and for empty input. A raw field that is
// not null takes precedence over a compressed one.
func Decode(stored []byte) (*v1.FrameworkStatus, error) {
	if len(stored) == 0 || string(stored) == "null" {
		return nil, nil
	}
	if err := checkPlain(stored); err != nil {
		return nil, err
	}
	status := &v1.FrameworkStatus{}
	if err := json.Unmarshal(stored, status); err != nil {
		return nil, fmt.Errorf("status does not decode: %w", err)
	}
	attempt := &status.AttemptStatus
	compressed := attempt.TaskRoleStatusesCompressed
	attempt.TaskRoleStatusesCompressed = nil
	if attempt.TaskRoleStatuses != nil || len(compressed) == 0 {
		return status, nil
	}
	roles, err := decompress(compressed, MaxRawBytes)
	if err != nil {
		return nil, fmt.Errorf("attemptStatus.taskRoleStatusesCompressed: %w", err)
	}
	attempt.TaskRoleStatuses = roles
	return status, nil
}

func decompress(data []byte, most int64) (roles []v1.TaskRoleStatus, err error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: r, N: most + 1}
	// A decoder reads all of a value before it decodes it.
	err = json.NewDecoder(&meter{from: limited}).Decode(&roles)
	if limited.N <= 0 {
		return nil, errors.New("more data than any Framework has")
	}
	return roles, err
}
