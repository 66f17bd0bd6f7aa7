package checker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// mostUnpacked is far more than any status has. A client that decompresses all it gets can be kept busy for ever.
const mostUnpacked = 64 << 20

// DecodeFramework decompresses the status if need be. It leaves the compressed form beside it, as a sign that messages may
// have been cut. It leaves out Pod templates.
func DecodeFramework(o *unstructured.Unstructured) (*v1.Framework, error) {
	text, err := json.Marshal(o.Object)
	if err != nil {
		return nil, err
	}
	f := &v1.Framework{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, err
	}
	for i := range f.Spec.TaskRoles {
		f.Spec.TaskRoles[i].Task.Pod = v1.PodTemplate{}
	}
	if f.Status == nil {
		return f, nil
	}
	attempt := &f.Status.AttemptStatus
	if attempt.TaskRoleStatuses != nil || len(attempt.TaskRoleStatusesCompressed) == 0 {
		return f, nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(attempt.TaskRoleStatusesCompressed))
	if err != nil {
		return nil, fmt.Errorf("taskRoleStatusesCompressed: %w", err)
	}
	if err := json.NewDecoder(io.LimitReader(unpacked, mostUnpacked)).Decode(&attempt.TaskRoleStatuses); err != nil {
		return nil, fmt.Errorf("taskRoleStatusesCompressed: %w", err)
	}
	return f, nil
}
