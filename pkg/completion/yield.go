package completion

import "slices"

// A container that is stopped because another one failed ends with a signal, and later than the failure that explains the Pod.
// Patterns with ignoreAfterOtherFailure describe such ends; this file decides which containers are left out.

func yieldingPatterns(rules []rule) []containerPattern {
	var out []containerPattern
	for _, r := range rules {
		out = append(out, r.yielding()...)
	}
	return out
}

func (r rule) yielding() []containerPattern {
	var out []containerPattern
	for _, p := range r.patterns {
		out = append(out, p.yielding()...)
	}
	return out
}

// firstOwnFailure returns the container that failed first among those that no yielding pattern matches; nil if there is none.
func (r *Rules) firstOwnFailure(suspects []Container) *Container {
	if r == nil || len(r.yielding) == 0 {
		return nil
	}
	var first *Container
	for i := range suspects {
		c := &suspects[i]
		if c.failed() && !matchesAny(r.yielding, *c) && (first == nil || c.FinishedAt.Before(first.FinishedAt)) {
			first = c
		}
	}
	return first
}

// withoutYielding returns the containers that the rule, and those after it, look at. Kubernetes reports ends in whole
// seconds; of two in the same second the failure counts as the cause, as a container is mostly stopped at once.
func (r rule) withoutYielding(suspects []Container, own *Container) []Container {
	patterns := r.yielding()
	if own == nil || len(patterns) == 0 {
		return suspects
	}
	return slices.DeleteFunc(slices.Clone(suspects), func(c Container) bool {
		return !c.FinishedAt.Before(own.FinishedAt) && matchesAny(patterns, c)
	})
}

func matchesAny(patterns []containerPattern, c Container) bool {
	return slices.ContainsFunc(patterns, func(p containerPattern) bool {
		_, ok := p.match(c)
		return ok && c.Terminated
	})
}
