package lifecycle_test

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawOtherFrameworks: that another Framework has completed is stored as soon as it is seen and of use, never without being seen, and
// kept whatever becomes of that Framework; success is never forgotten for a failure. Without it, no role that needs it gets a Pod.
func (c *checker) lawOtherFrameworks(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		if out.State.Framework().StartedAfter != nil {
			c.violationf("startedAfter: nothing at first", "%s", text(out.State.Status()))
		}
		return
	}
	before, after := in.Saved.Framework().StartedAfter, out.State.Framework().StartedAfter
	for _, o := range after {
		if seen := in.Observed.Others[o.Framework]; !slices.Contains(before, o) && (seen.UID != o.UID || seen.Outcome != o.Outcome) {
			c.violationf("startedAfter: only what was seen", "%s of %s", text(o), text(in.Observed.Others))
		}
	}
	for _, o := range before {
		named := slices.ContainsFunc(namedFrameworks(in.Framework.Spec), func(s v1.StartAfterSpec) bool { return s.Framework == o.Framework })
		now := naiveOutcome(after, o.Framework)
		if named && now != o.Outcome && now != v1.CompletionSucceeded {
			c.violationf("startedAfter: kept", "%s -> %s", text(before), text(after))
		}
	}
	if out.State.Framework().State == v1.Completed {
		return
	}
	for _, s := range namedFrameworks(in.Framework.Spec) {
		if seen := in.Observed.Others[s.Framework].Outcome; suffices(s, seen) && !suffices(s, naiveOutcome(after, s.Framework)) {
			c.violationf("startedAfter: stored at once", "%s: %s", text(s), text(after))
		}
	}
	for _, action := range out.Actions {
		create, ok := action.(lifecycle.CreatePod)
		if !ok {
			continue
		}
		for _, s := range c.awaitedAtFirst(in, create.Task.Role) {
			if !suffices(s, naiveOutcome(after, s.Framework)) {
				c.violationf("no Pods before the other Framework has completed", "%s: %s", action, text(after))
			}
		}
	}
}

// awaitedAtFirst is what a role waits for whose gate was closed when the state was stored: a gate that is open stays so, even if the spec
// has more to wait for by now.
func (c *checker) awaitedAtFirst(in lifecycle.Input, name string) (all []v1.StartAfterSpec) {
	for _, role := range orderedRoles(in.Framework.Spec) {
		if role.Name == name && in.Saved.Framework().Gates.HeldBack(role) {
			all = append(all, role.StartAfter...)
		}
	}
	return slices.DeleteFunc(all, func(s v1.StartAfterSpec) bool { return s.Framework == "" })
}

func namedFrameworks(spec *v1.FrameworkSpec) (all []v1.StartAfterSpec) {
	for _, role := range spec.TaskRoles {
		all = append(all, role.StartAfter...)
	}
	return slices.DeleteFunc(all, func(s v1.StartAfterSpec) bool { return s.Framework == "" })
}

func naiveOutcome(stored []v1.StartedAfterStatus, name string) v1.CompletionTypeName {
	for _, o := range stored {
		if o.Framework == name {
			return o.Outcome
		}
	}
	return ""
}

func suffices(s v1.StartAfterSpec, outcome v1.CompletionTypeName) bool {
	return outcome == v1.CompletionSucceeded || outcome == v1.CompletionFailed && s.When == v1.StartCompleted
}
