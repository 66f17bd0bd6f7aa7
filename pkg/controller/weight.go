package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// Memory per byte of a Framework's JSON: as it was read, as it is decoded, the facts about its Pods, the data prepared for
// Pods and for the next status write, and the comparison with the stored status. Once it has completed, most of that is
// dropped, and the decoded form is smaller than the JSON.
const (
	copies     = 5
	copiesKept = 1
)

const (
	taskBytes   = 1 << 10 // JSON of a Task in a status, without its messages
	podBytes    = 2 << 10 // a cached Pod, beside the whole Pod
	objectBytes = 1 << 10 // another cached object, beside its kept content
	addsToPod   = 2 << 10 // minimum by which a Pod is larger than its template
)

// weight estimates the bytes that the record holds for its Framework, with lists of items, and that the cache will hold for its Pods.
func (r *record) weight() (own, pods int64) {
	tasks, pods := wantedBy(r.framework.Spec, r.status.saved != nil)
	json := int64(statusjson.StorageBytes-r.status.bytesLeft) + max(r.status.statusBytes(), tasks*taskBytes)
	if r.status.completed() {
		return copiesKept * json, 0
	}
	return copies*json + r.itemsBytes(), pods
}

// itemsBytes estimates the bytes of the lists of items, of which most are neither in the spec nor in the status.
func (r *record) itemsBytes() (sum int64) {
	for _, known := range r.items {
		sum += known.view.List.Bytes() + known.view.Held.Bytes()
	}
	return sum
}

// wantedBy returns how many Tasks the spec wants, within the limit, and the bytes of their Pods. Before it starts, and while
// it is suspended, it wants none.
func wantedBy(spec *v1.FrameworkSpec, begun bool) (tasks, pods int64) {
	if e := spec.ExecutionType; e == v1.ExecutionCreate || e == v1.ExecutionStop && !begun || lifecycle.Suspended(spec) {
		return 0, 0
	}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		more := min(int64(role.TaskNumber), v1.MaxTasks-tasks)
		tasks += more
		pods += min(more, int64(role.AtOnce())) * (podBytes + addsToPod + int64(len(role.Task.Pod)))
	}
	return tasks, pods
}

// statusBytes estimates the JSON of the status, before it is compressed.
func (s *savedStatus) statusBytes() (sum int64) {
	if s.saved == nil {
		return 0
	}
	if size := s.encoder.Size(); size > 0 {
		return int64(size)
	}
	for _, t := range s.saved.Tasks {
		sum += taskBytes
		if s := t.AttemptStatus.CompletionStatus; s != nil {
			sum += int64(len(s.Diagnostics) + len(s.Remedy))
		}
	}
	return sum
}

// leaves reports whether the Framework will soon need less: it has ended, is being stopped or deleted, or was suspended after
// it had begun.
func (r *record) leaves() bool {
	return r.framework.Deleting || r.status.completed() || r.framework.Spec.ExecutionType == v1.ExecutionStop ||
		r.status.saved != nil && lifecycle.Suspended(r.framework.Spec)
}
