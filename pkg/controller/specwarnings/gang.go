package specwarnings

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// gangWarnings finds minimums of a gang above the number of Tasks, or above the number that may run at once, which then applies
// instead. Roles without Tasks are skipped, as they may get some later.
func gangWarnings(spec *v1.FrameworkSpec) []Warning {
	if spec.Scheduling == nil || spec.Scheduling.Gang == nil {
		return nil
	}
	gang := spec.Scheduling.Gang
	if slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return numberUnknown(&r) }) {
		return nil
	}
	var out []Warning
	total, most := TaskNumber(spec), atOnce(spec)
	switch {
	case gang.MinTasks == nil || total == 0 || int64(*gang.MinTasks) <= most:
	case int64(*gang.MinTasks) <= total:
		out = append(out, Warning{reason.GangTooLarge, "", fmt.Sprintf(
			"scheduling.gang.minTasks %d is above %d, the number of Tasks that may run at once by parallelism, so the gang is all of these", *gang.MinTasks, most)})
	default:
		out = append(out, Warning{reason.GangTooLarge, "", fmt.Sprintf(
			"scheduling.gang.minTasks %d is above %d, the total number of Tasks, so the gang is all of them", *gang.MinTasks, total)})
	}
	for _, least := range gang.PerRole {
		i := slices.IndexFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == least.Role })
		switch {
		case i < 0:
			out = append(out, Warning{reason.GangTooLarge, least.Role, fmt.Sprintf(
				"role %s is in scheduling.gang.perRole, but not in taskRoles, so it has no effect", least.Role)})
		case least.MinTasks > spec.TaskRoles[i].TaskNumber && spec.TaskRoles[i].TaskNumber > 0:
			out = append(out, Warning{reason.GangTooLarge, least.Role, fmt.Sprintf(
				"role %s: minTasks %d in scheduling.gang.perRole is above taskNumber %d, so all of its Tasks are required",
				least.Role, least.MinTasks, spec.TaskRoles[i].TaskNumber)})
		case least.MinTasks > spec.TaskRoles[i].AtOnce() && spec.TaskRoles[i].TaskNumber > 0:
			out = append(out, Warning{reason.GangTooLarge, least.Role, fmt.Sprintf(
				"role %s: minTasks %d in scheduling.gang.perRole is above parallelism %d, so as many Tasks as may run at once are required",
				least.Role, least.MinTasks, *spec.TaskRoles[i].Parallelism)})
		}
	}
	return out
}

// atOnce returns how many Tasks of all roles may run at once.
func atOnce(spec *v1.FrameworkSpec) (n int64) {
	for i := range spec.TaskRoles {
		n += int64(spec.TaskRoles[i].AtOnce())
	}
	return n
}

// TaskNumber returns the total number of Tasks of all roles.
func TaskNumber(spec *v1.FrameworkSpec) (n int64) {
	for i := range spec.TaskRoles {
		n += int64(spec.TaskRoles[i].TaskNumber)
	}
	return n
}
