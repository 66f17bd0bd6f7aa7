package gates

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Other is another Framework of the namespace, as last seen. The zero value is one that does not exist.
type Other struct {
	// UID of the Framework; empty if there is none of that name.
	UID types.UID
	// Outcome once it has completed; empty before.
	Outcome v1.CompletionTypeName
	// Elsewhere: another controller runs it (spec.managedBy), so its end is not seen.
	Elsewhere bool
}

// AwaitedFrameworks returns the names of the Frameworks that roles still wait for, sorted; nil if there are none.
func AwaitedFrameworks(spec *v1.FrameworkSpec, completed []v1.StartedAfterStatus) (names []string) {
	for _, s := range afterFrameworks(spec) {
		if !s.MetBy(completed) {
			names = append(names, s.Framework)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Completed returns the Frameworks that have completed as some role needs it: the stored ones, as long as a role names
// them, and the ones seen now. Success replaces failure where success is needed, and nothing replaces success.
func Completed(spec *v1.FrameworkSpec, stored []v1.StartedAfterStatus, seen map[string]Other) (next []v1.StartedAfterStatus) {
	if stored == nil && len(seen) == 0 {
		return nil
	}
	named := map[string]bool{}
	for _, s := range afterFrameworks(spec) {
		named[s.Framework] = true
	}
	for _, c := range stored {
		if named[c.Framework] {
			next = append(next, c)
		}
	}
	for _, s := range afterFrameworks(spec) {
		other := seen[s.Framework]
		met := []v1.StartedAfterStatus{{Framework: s.Framework, UID: other.UID, Outcome: other.Outcome}}
		if other.Outcome == "" || s.MetBy(next) || !s.MetBy(met) {
			continue
		}
		next = slices.DeleteFunc(next, func(c v1.StartedAfterStatus) bool { return c.Framework == s.Framework })
		next = append(next, met...)
	}
	return next
}

// afterFrameworks returns what roles start after that are Frameworks.
func afterFrameworks(spec *v1.FrameworkSpec) (all []v1.StartAfterSpec) {
	for i := range spec.TaskRoles {
		for _, s := range spec.TaskRoles[i].StartAfter {
			if s.Framework != "" {
				all = append(all, s)
			}
		}
	}
	return all
}
