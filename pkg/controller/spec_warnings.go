package controller

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// specWarning says something about a role, or about all of them if it is empty, in a valid spec that is probably not what its author wants.
type specWarning struct{ reason, role, message string }

// mostSpecWarnings is how many roles are told of one by one, for each reason and each spec.
const mostSpecWarnings = 10

// warnOfSpec tells a Framework's users of what looks like a mistake in its spec (decisions, "Validation, in the CRD").
func (rep *reporter) warnOfSpec(r *record, name string, spec *v1.FrameworkSpec) {
	warnings := duplicates(spec.TaskRoles)
	for i := range spec.TaskRoles {
		warnings = append(warnings, roleWarnings(name, &spec.TaskRoles[i])...)
	}
	warnings = append(warnings, gangWarnings(spec)...)
	warnings = append(warnings, startOrderWarnings(spec)...)
	warnings = append(warnings, networkWarnings(spec)...)
	warnings = append(warnings, retryWarnings(spec)...)
	for _, reason := range []string{
		roleDuplicated, hostnameTruncated, successUnreachable, failureUnreachable, gangTooLarge, startAfterUnknown, keyVolumeTaken,
		startNotHeld, fieldWithoutEffect,
	} {
		rep.warnOfReason(r, slices.DeleteFunc(slices.Clone(warnings), func(w specWarning) bool { return w.reason != reason }))
	}
}

// warnOfReason tells of warnings that have one reason. There may be two hundred of them, anew with each edit.
func (rep *reporter) warnOfReason(r *record, warnings []specWarning) {
	for i, w := range warnings {
		if i == mostSpecWarnings {
			more := fmt.Sprintf("and %d more roles", len(warnings)-i)
			rep.warnOn(r, w.reason, "more", more, more)
			return
		}
		rep.warnOn(r, w.reason, "role "+w.role, w.message, w.message)
	}
}

// Reasons of warnings.
const (
	roleDuplicated     = "RoleDuplicated"
	hostnameTruncated  = "HostnameTruncated"
	successUnreachable = "SuccessUnreachable"
	failureUnreachable = "FailureUnreachable"
	gangTooLarge       = "GangTooLarge"
	startAfterUnknown  = "StartAfterUnknown"
	keyVolumeTaken     = "KeyVolumeTaken"
	startNotHeld       = "StartNotHeld"
	fieldWithoutEffect = "FieldWithoutEffect"
)

// specIsUnreported reports whether no stored status takes the spec into account yet: its users cannot have been told of
// it. Nobody is to be told anew by each controller that starts, or of what has ended.
func (r *record) specIsUnreported() bool {
	if r.status.saved == nil {
		return true
	}
	s := r.status.saved.Framework()
	return s.State != v1.Completed && s.ObservedGeneration != r.framework.Generation
}

// duplicates finds roles that have the name of an earlier one. Our CRD does not let them in.
func duplicates(roles []v1.TaskRoleSpec) []specWarning {
	var out []specWarning
	first := make(map[string]int, len(roles))
	for i := range roles {
		name := roles[i].Name
		if j, taken := first[name]; taken {
			out = append(out, specWarning{roleDuplicated, fmt.Sprint(i), fmt.Sprintf(
				"taskRoles[%d]: role %s is taskRoles[%d] already, which counts; give it another name, or take it out", i, name, j)})
			continue
		}
		first[name] = i
	}
	return out
}

func roleWarnings(framework string, role *v1.TaskRoleSpec) []specWarning {
	out := thresholdWarnings(role)
	if longest := v1.PodName(framework, role.Name, max(role.TaskNumber-1, 0)); tooLong(longest, role) {
		out = append(out, specWarning{hostnameTruncated, role.Name, fmt.Sprintf(
			"role %s: the name of Pod %s has %d characters, so its hostname is cut to %d; set spec.hostname in the pod template to have another",
			role.Name, longest, len(longest), validation.DNS1123LabelMaxLength)})
	}
	return out
}

// thresholdWarnings finds thresholds that more Tasks would have to meet than there are. A role without Tasks may get
// them later: the default is 1 failure, and nobody is to be warned of that.
func thresholdWarnings(role *v1.TaskRoleSpec) []specWarning {
	var out []specWarning
	policy := role.FrameworkAttemptCompletionPolicy
	if needed := policy.MinSucceededTaskCount; needed > role.TaskNumber {
		out = append(out, specWarning{successUnreachable, role.Name, fmt.Sprintf(
			"role %s: minSucceededTaskCount %d is above taskNumber %d, so its Tasks cannot make the attempt succeed",
			role.Name, needed, role.TaskNumber)})
	}
	if needed := policy.MinFailedTaskCount; needed > role.TaskNumber && role.TaskNumber > 0 {
		out = append(out, specWarning{failureUnreachable, role.Name, fmt.Sprintf(
			"role %s: minFailedTaskCount %d is above taskNumber %d, so its Tasks cannot make the attempt fail, even if all of them do",
			role.Name, needed, role.TaskNumber)})
	}
	return out
}

// tooLong reports whether a Pod gets a hostname that is cut off from its name. It reads nothing else of the template: what
// that would take, its author decides.
func tooLong(name string, role *v1.TaskRoleSpec) bool {
	if len(name) <= validation.DNS1123LabelMaxLength {
		return false
	}
	var template struct {
		Spec struct {
			Hostname string `json:"hostname"`
		} `json:"spec"`
	}
	err := objects.ReadTemplate(role.Task.Pod, &template)
	return err == nil && template.Spec.Hostname == ""
}
