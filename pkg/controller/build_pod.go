package controller

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// podBuilder returns the builder of a Task's Pod; nil if the spec has no such role.
func (r *record) podBuilder(ref lifecycle.TaskRef) (*roleBuilder, error) {
	stored := r.status.saved.Framework()
	hints, avoided := stored.AttemptStatus.SchedulerHints, stored.AvoidedNodes
	if r.builders == nil || r.builders.hints != hints || !avoid.Same(r.builders.avoid, avoided) {
		r.builders = newPodBuilders(r.framework.Spec, hints, avoided, r.avoidByHostname)
	}
	var learned []v1.ContainerMemory
	if t := r.status.saved.Task(ref); t != nil {
		learned = t.Memory
	}
	return r.builders.of(ref, learned), r.builders.err
}

// podToBuild prepares a Pod, which is built when it is sent: if ten thousand waited for their turn fully built, they would
// take ten thousand times the memory of the template.
func podToBuild(r *record, a lifecycle.CreatePod) (build func() ([]byte, error), err error) {
	builder, err := r.podBuilder(a.Task)
	if err != nil {
		return nil, err
	}
	task, ok := taskToBuild(r, a)
	if builder == nil || !ok {
		return nil, fmt.Errorf("role %s is no longer in the spec", a.Task.Role)
	}
	if task.Item, err = r.itemFor(a.Task); err != nil {
		return nil, err
	}
	return func() ([]byte, error) { return builder.Build(task) }, nil
}

// taskToBuild returns the input to build a Pod, beside its template; ok is false if there is no recorded ConfigMap to own it.
func taskToBuild(r *record, a lifecycle.CreatePod) (task objects.Task, ok bool) {
	attempt := &r.status.saved.Framework().AttemptStatus
	role, _ := r.status.saved.Role(a.Task.Role)
	if attempt.ConfigMapUID == nil {
		return objects.Task{}, false
	}
	return objects.Task{
		Framework:          owner(r),
		FrameworkAttemptID: attempt.ID,
		ConfigMapUID:       *attempt.ConfigMapUID,
		RoleName:           role.Name,
		RoleUID:            role.InstanceUID,
		Index:              a.Task.Index,
		UID:                a.TaskUID,
		AttemptID:          a.AttemptID,
	}, true
}

// bytesOf returns the size of the request for an action; 0 for small ones. Unless they have items, it is computed once for
// all Pods of one template.
func (r *record) bytesOf(a lifecycle.Action) int {
	creation, ok := a.(lifecycle.CreatePod)
	if !ok {
		return 0
	}
	builder, err := r.podBuilder(creation.Task)
	if err != nil || builder == nil {
		return 0
	}
	task, ok := taskToBuild(r, creation)
	if !ok {
		return 0
	}
	if task.Item, err = r.itemFor(creation.Task); err != nil {
		return 0
	}
	return builder.costOf(task)
}
