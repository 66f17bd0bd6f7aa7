package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/specwarnings"
)

// decodeSpec reads a stored spec. Its error names the field that makes no sense.
func decodeSpec(data []byte) (*v1.FrameworkSpec, error) {
	spec := &v1.FrameworkSpec{}
	if len(data) == 0 {
		return spec, nil
	}
	if err := json.Unmarshal(data, spec); err != nil {
		return nil, fmt.Errorf("spec does not decode: %w", err)
	}
	if err := checkSpec(spec); err != nil {
		return nil, fmt.Errorf("spec makes no sense: %w", err)
	}
	return spec, nil
}

// checkSpec finds what would be misunderstood, or have no visible effect. A CRD that allows more than ours may have let
// it in. Roles of one name are only warned of (warnOfSpec), because a part of them can run.
func checkSpec(spec *v1.FrameworkSpec) error {
	switch spec.ExecutionType {
	case "", v1.ExecutionCreate, v1.ExecutionStart, v1.ExecutionStop:
	default:
		return fmt.Errorf("executionType is %.63q; it has to be %s, %s or %s",
			spec.ExecutionType, v1.ExecutionCreate, v1.ExecutionStart, v1.ExecutionStop)
	}
	for i := range spec.TaskRoles {
		if err := checkRole(&spec.TaskRoles[i]); err != nil {
			return fmt.Errorf("taskRoles[%d].%w", i, err)
		}
	}
	return nil
}

// checkSize finds a Framework that may not be begun. One that has been goes on, and gets no more Tasks than it may have.
func checkSize(spec *v1.FrameworkSpec) error {
	tasks := specwarnings.TaskNumber(spec)
	if tasks <= v1.MaxTasks {
		return nil
	}
	return fmt.Errorf("spec makes no sense: taskRoles have %d Tasks together; it has to be at most %d, or the status could not be stored",
		tasks, v1.MaxTasks)
}

func checkRole(role *v1.TaskRoleSpec) error {
	if role.Name == "" {
		return errors.New("name is missing")
	}
	// The Pods of a role whose name cannot be read from theirs would never be recognised.
	if name, _, ok := v1.ParsePodName("f", v1.PodName("f", role.Name, 0)); !ok || name != role.Name {
		return fmt.Errorf("name is %.63q; it has to be lower-case letters and digits", role.Name)
	}
	if role.TaskNumber < 0 {
		return fmt.Errorf("taskNumber is %d; it has to be at least 0", role.TaskNumber)
	}
	return nil
}

// mostSpecWarnings is how many roles are told of one by one, for each reason and each spec.
const mostSpecWarnings = 10

// warnOfSpec warns a Framework's users of what looks like a mistake in its spec (decisions, "Validation, in the CRD").
func (rep *reporter) warnOfSpec(r *record, name string, spec *v1.FrameworkSpec) {
	found := specwarnings.Find(name, spec)
	for _, reason := range specwarnings.Reasons {
		rep.warnOfReason(r, reason, slices.DeleteFunc(slices.Clone(found), func(w specwarnings.Warning) bool { return w.Reason != reason }))
	}
}

// warnOfReason reports warnings that have one reason. There may be two hundred of them, anew with each edit.
func (rep *reporter) warnOfReason(r *record, reason string, warnings []specwarnings.Warning) {
	for i, w := range warnings {
		if i == mostSpecWarnings {
			more := fmt.Sprintf("and %d more roles", len(warnings)-i)
			rep.warnOn(r, reason, "more", more, more)
			return
		}
		rep.warnOn(r, reason, "role "+w.Role, w.Message, w.Message)
	}
}

// specIsUnreported reports whether no stored status takes the spec into account yet: its users cannot have been told of
// it. Nobody is to be told anew by each controller that starts, or of what has ended.
func (r *record) specIsUnreported() bool {
	if r.status.saved == nil {
		return true
	}
	s := r.status.saved.Framework()
	return s.State != v1.Completed && s.ObservedGeneration != r.framework.Generation
}
