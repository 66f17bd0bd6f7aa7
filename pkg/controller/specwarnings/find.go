package specwarnings

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Warning is about one role, or about all of them.
type Warning struct {
	Reason  reason.Event // one of Reasons
	Role    string       // its name, or its index if the name is not unique; empty for all roles
	Message string       // includes the change to make
}

// Find returns likely mistakes in a valid spec.
func Find(framework string, spec *v1.FrameworkSpec) []Warning {
	found := duplicates(spec.TaskRoles)
	for i := range spec.TaskRoles {
		found = append(found, roleWarnings(framework, &spec.TaskRoles[i])...)
	}
	found = append(found, gangWarnings(spec)...)
	found = append(found, startOrderWarnings(spec)...)
	found = append(found, parallelismWarnings(spec)...)
	found = append(found, networkWarnings(spec)...)
	found = append(found, volumeWarnings(spec)...)
	return append(found, retryWarnings(spec)...)
}

// Reasons are all reasons of warnings, in the order in which they are reported.
var Reasons = []reason.Event{
	reason.RoleDuplicated, reason.HostnameTruncated, reason.SuccessUnreachable, reason.FailureUnreachable, reason.GangTooLarge, reason.BarrierInTurns, reason.StartAfterUnknown, reason.KeyVolumeTaken, reason.VolumeConflict,
	reason.HostPortShared, reason.StartNotHeld, reason.FieldWithoutEffect,
}

// duplicates finds roles with the name of an earlier one. Our CRD does not admit them.
func duplicates(roles []v1.TaskRoleSpec) []Warning {
	var out []Warning
	first := make(map[string]int, len(roles))
	for i := range roles {
		name := roles[i].Name
		if j, taken := first[name]; taken {
			out = append(out, Warning{reason.RoleDuplicated, fmt.Sprint(i), fmt.Sprintf(
				"taskRoles[%d]: the name %s is already used by taskRoles[%d], which takes effect; rename this role, or remove it", i, name, j)})
			continue
		}
		first[name] = i
	}
	return out
}

func roleWarnings(framework string, role *v1.TaskRoleSpec) []Warning {
	out := thresholdWarnings(role)
	if longest := v1.PodName(framework, role.Name, max(role.TaskNumber-1, 0)); tooLong(longest, role) {
		out = append(out, Warning{reason.HostnameTruncated, role.Name, fmt.Sprintf(
			"role %s: the name of Pod %s has %d characters, so its hostname is cut to %d; set spec.hostname in the Pod template to choose another",
			role.Name, longest, len(longest), validation.DNS1123LabelMaxLength)})
	}
	return out
}

// thresholdWarnings finds thresholds above the number of Tasks. Roles without Tasks are skipped, as they may get some later
// and the default is 1 failure.
func thresholdWarnings(role *v1.TaskRoleSpec) []Warning {
	var out []Warning
	if numberUnknown(role) {
		return nil
	}
	policy := role.FrameworkAttemptCompletionPolicy
	if needed := policy.MinSucceededTaskCount; needed > role.TaskNumber {
		out = append(out, Warning{reason.SuccessUnreachable, role.Name, fmt.Sprintf(
			"role %s: minSucceededTaskCount %d is above taskNumber %d, so its Tasks cannot make the attempt succeed",
			role.Name, needed, role.TaskNumber)})
	}
	if needed := policy.MinFailedTaskCount; needed > role.TaskNumber && role.TaskNumber > 0 {
		out = append(out, Warning{reason.FailureUnreachable, role.Name, fmt.Sprintf(
			"role %s: minFailedTaskCount %d is above taskNumber %d, so its Tasks cannot make the attempt fail, even if all of them do",
			role.Name, needed, role.TaskNumber)})
	}
	return out
}

// numberUnknown reports whether the number of Tasks depends on a list in a ConfigMap that may not have been read yet.
func numberUnknown(role *v1.TaskRoleSpec) bool {
	return role.TaskNumber == v1.AllItems && role.Items != nil && role.Items.ConfigMapKeyRef != nil
}

// tooLong reports whether a Pod's hostname is cut off from its name. It reads only the hostname of the template, as its author
// decides how costly the rest is.
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
