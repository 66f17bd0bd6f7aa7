package specwarnings

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// Warning is about a role, or about all of them.
type Warning struct {
	Reason  string // one of Reasons
	Role    string // its name, or its index if another role has that; empty for all roles
	Message string // with what to change
}

// Find returns what in a valid spec is probably not what its author wants.
func Find(framework string, spec *v1.FrameworkSpec) []Warning {
	found := duplicates(spec.TaskRoles)
	for i := range spec.TaskRoles {
		found = append(found, roleWarnings(framework, &spec.TaskRoles[i])...)
	}
	found = append(found, gangWarnings(spec)...)
	found = append(found, startOrderWarnings(spec)...)
	found = append(found, networkWarnings(spec)...)
	return append(found, retryWarnings(spec)...)
}

// Reasons are all reasons of warnings, in the order in which they are reported.
var Reasons = []string{
	roleDuplicated, hostnameTruncated, successUnreachable, failureUnreachable, gangTooLarge, startAfterUnknown, keyVolumeTaken,
	hostPortShared, startNotHeld, fieldWithoutEffect,
}

const (
	roleDuplicated     = "RoleDuplicated"
	hostnameTruncated  = "HostnameTruncated"
	successUnreachable = "SuccessUnreachable"
	failureUnreachable = "FailureUnreachable"
	gangTooLarge       = "GangTooLarge"
	startAfterUnknown  = "StartAfterUnknown"
	keyVolumeTaken     = "KeyVolumeTaken"
	hostPortShared     = "HostPortShared"
	startNotHeld       = "StartNotHeld"
	fieldWithoutEffect = "FieldWithoutEffect"
)

// duplicates finds roles that have the name of an earlier one. Our CRD does not let them in.
func duplicates(roles []v1.TaskRoleSpec) []Warning {
	var out []Warning
	first := make(map[string]int, len(roles))
	for i := range roles {
		name := roles[i].Name
		if j, taken := first[name]; taken {
			out = append(out, Warning{roleDuplicated, fmt.Sprint(i), fmt.Sprintf(
				"taskRoles[%d]: role %s is taskRoles[%d] already, which counts; give it another name, or take it out", i, name, j)})
			continue
		}
		first[name] = i
	}
	return out
}

func roleWarnings(framework string, role *v1.TaskRoleSpec) []Warning {
	out := thresholdWarnings(role)
	if longest := v1.PodName(framework, role.Name, max(role.TaskNumber-1, 0)); tooLong(longest, role) {
		out = append(out, Warning{hostnameTruncated, role.Name, fmt.Sprintf(
			"role %s: the name of Pod %s has %d characters, so its hostname is cut to %d; set spec.hostname in the pod template to have another",
			role.Name, longest, len(longest), validation.DNS1123LabelMaxLength)})
	}
	return out
}

// thresholdWarnings finds thresholds that more Tasks would have to meet than there are. A role without Tasks may get
// them later: the default is 1 failure, and nobody is to be warned of that.
func thresholdWarnings(role *v1.TaskRoleSpec) []Warning {
	var out []Warning
	policy := role.FrameworkAttemptCompletionPolicy
	if needed := policy.MinSucceededTaskCount; needed > role.TaskNumber {
		out = append(out, Warning{successUnreachable, role.Name, fmt.Sprintf(
			"role %s: minSucceededTaskCount %d is above taskNumber %d, so its Tasks cannot make the attempt succeed",
			role.Name, needed, role.TaskNumber)})
	}
	if needed := policy.MinFailedTaskCount; needed > role.TaskNumber && role.TaskNumber > 0 {
		out = append(out, Warning{failureUnreachable, role.Name, fmt.Sprintf(
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
