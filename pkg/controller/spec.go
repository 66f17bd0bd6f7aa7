package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/specwarnings"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// decodeSpec decodes a stored spec. Its error names the invalid field.
func decodeSpec(data []byte) (*v1.FrameworkSpec, error) {
	spec := &v1.FrameworkSpec{}
	if len(data) == 0 {
		return spec, nil
	}
	if err := json.Unmarshal(data, spec); err != nil {
		return nil, fmt.Errorf("spec does not decode: %w", err)
	}
	if err := checkSpec(spec); err != nil {
		return nil, fmt.Errorf("spec is invalid: %w", err)
	}
	return spec, nil
}

// checkSpec finds values that would be misunderstood or ignored. A CRD that allows more than ours may have let them in. Roles
// with the same name only cause a warning (warnOfSpec), because some of them can run.
func checkSpec(spec *v1.FrameworkSpec) error {
	switch spec.ExecutionType {
	case "", v1.ExecutionCreate, v1.ExecutionStart, v1.ExecutionStop:
	default:
		return fmt.Errorf("executionType is %.63q; it must be %s, %s or %s",
			spec.ExecutionType, v1.ExecutionCreate, v1.ExecutionStart, v1.ExecutionStop)
	}
	for i := range spec.TaskRoles {
		if err := checkRole(&spec.TaskRoles[i]); err != nil {
			return fmt.Errorf("taskRoles[%d].%w", i, err)
		}
	}
	return nil
}

// checkSize rejects a Framework that is too large to start. One that has started goes on, and gets no Tasks beyond the limit.
func checkSize(spec *v1.FrameworkSpec) error {
	tasks := specwarnings.TaskNumber(spec)
	if tasks <= v1.MaxTasks {
		return nil
	}
	return fmt.Errorf("spec is invalid: taskRoles have %d Tasks in total; at most %d are allowed, or the status could not be stored",
		tasks, v1.MaxTasks)
}

func checkRole(role *v1.TaskRoleSpec) error {
	if role.Name == "" {
		return errors.New("name is missing")
	}
	// Pods would never be matched to a role whose name cannot be parsed from theirs.
	if name, _, ok := v1.ParsePodName("f", v1.PodName("f", role.Name, 0)); !ok || name != role.Name {
		return fmt.Errorf("name is %.63q; it must consist of lower-case letters and digits", role.Name)
	}
	if role.TaskNumber < 0 {
		return fmt.Errorf("taskNumber is %d; it must be at least 0", role.TaskNumber)
	}
	return nil
}

// mostSpecWarnings limits how many roles are reported one by one, for each reason and each spec.
const mostSpecWarnings = 10

// warnOfSpec warns a Framework's users of likely mistakes in its spec (decisions, "Validation, in the CRD").
func (rep *reporter) warnOfSpec(r *record, name string, spec *v1.FrameworkSpec) {
	found := specwarnings.Find(name, spec)
	for _, why := range specwarnings.Reasons {
		rep.warnOfReason(r, why, slices.DeleteFunc(slices.Clone(found), func(w specwarnings.Warning) bool { return w.Reason != why }))
	}
}

// warnOfReason reports warnings with the same reason. There may be two hundred of them, again with each edit.
func (rep *reporter) warnOfReason(r *record, why reason.Event, warnings []specwarnings.Warning) {
	for i, w := range warnings {
		if i == mostSpecWarnings {
			more := fmt.Sprintf("and %d more roles", len(warnings)-i)
			rep.warnOn(r, warning(why, reason.Facts{}, more), "more", more)
			return
		}
		facts := reason.Facts{Role: w.Role}
		if why == reason.RoleDuplicated {
			facts.Role = "" // it is the index, as the name is not unique
		}
		rep.warnOn(r, warning(why, facts, w.Message), "role "+w.Role, w.Message)
	}
}

// specIsUnreported reports whether no stored status takes the spec into account yet, so its users were not warned of it.
// Warnings are not repeated by each controller that starts, nor for a Framework that has ended.
func (r *record) specIsUnreported() bool {
	if r.status.saved == nil {
		return true
	}
	s := r.status.saved.Framework()
	return s.State != v1.Completed && s.ObservedGeneration != r.framework.Generation
}
