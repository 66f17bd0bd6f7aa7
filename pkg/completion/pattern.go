package completion

import "regexp"

// podPattern matches a Pod if every field that it names matches, and each container pattern is satisfied by at
// least one container. A nil regular expression is not named.
type podPattern struct {
	name, reason, message *regexp.Regexp
	containers            []containerPattern
}

// containerPattern matches a container if every field that it names matches. Only the name can match on a
// container that did not terminate.
type containerPattern struct {
	name, reason, message *regexp.Regexp
	signal, code          *bounds
	// See ContainerPatternSpec.IgnoreAfterOtherFailure.
	yields bool
}

// bounds is an inclusive range with at least one bound; a nil bound is open.
type bounds struct {
	min, max *int32
}

func (p podPattern) match(pod Pod, containers []Container) (podMatch, bool) {
	var name string
	var m podMatch
	ok := search(p.reason, pod.Reason, &m.Reason) &&
		search(p.name, pod.Name, &name) &&
		search(p.message, pod.Message, &m.Message)
	if !ok {
		return podMatch{}, false
	}
	m.Name = named(p.name != nil, name)
	m.Containers, ok = p.matchContainers(containers)
	return m, ok
}

// yielding returns the container patterns that ignore a container which ended after another one's own failure.
func (p podPattern) yielding() []containerPattern {
	var out []containerPattern
	for _, c := range p.containers {
		if c.yields {
			out = append(out, c)
		}
	}
	return out
}

// matchContainers takes for each pattern the first container that satisfies it; one container may satisfy
// several. A pattern that names nothing adds nothing to the result.
func (p podPattern) matchContainers(containers []Container) ([]containerMatch, bool) {
	var found []containerMatch
	for _, pattern := range p.containers {
		m, ok := pattern.matchAny(containers)
		if !ok {
			return nil, false
		}
		if pattern != (containerPattern{}) {
			found = append(found, m)
		}
	}
	return found, true
}

func (p containerPattern) matchAny(containers []Container) (containerMatch, bool) {
	for _, c := range containers {
		if m, ok := p.match(c); ok {
			return m, true
		}
	}
	return containerMatch{}, false
}

func (p containerPattern) match(c Container) (containerMatch, bool) {
	var name string
	if !search(p.name, c.Name, &name) {
		return containerMatch{}, false
	}
	m := containerMatch{Name: named(p.name != nil, name)}
	if !p.looksAtTermination() {
		return m, true
	}
	return m, c.Terminated && p.matchTermination(c, &m)
}

func (p containerPattern) looksAtTermination() bool {
	return p.reason != nil || p.message != nil || p.signal != nil || p.code != nil
}

// matchTermination leaves the message for last: it is the longest, and most patterns differ elsewhere.
func (p containerPattern) matchTermination(c Container, m *containerMatch) bool {
	ok := p.code.containsExit(c.Code) &&
		p.signal.contains(c.Signal) &&
		search(p.reason, c.Reason, &m.Reason) &&
		search(p.message, c.Message, &m.Message)
	m.Code = named(p.code != nil, c.Code)
	if p.signal != nil {
		m.Signal = c.Signal
	}
	return ok
}

// search puts the first part of text that re matches, anywhere in it, into found. A nil re matches and leaves
// found alone.
func search(re *regexp.Regexp, text string, found *string) bool {
	if re == nil {
		return true
	}
	at := re.FindStringIndex(text)
	if at == nil {
		return false
	}
	*found = text[at[0]:at[1]]
	return true
}

func (b *bounds) contains(n int32) bool {
	return b == nil || (b.min == nil || *b.min <= n) && (b.max == nil || n <= *b.max)
}

// containsExit is contains for exit codes. A negative one, an unsigned number above every possible bound, is also in a range that
// begins above 0 and has no end: {min: 1} contains all failures.
func (b *bounds) containsExit(code int32) bool {
	unsigned := code < 0 && b != nil && b.min != nil && *b.min > 0 && b.max == nil
	return unsigned || b.contains(code)
}

func named[T any](is bool, value T) *T {
	if !is {
		return nil
	}
	return &value
}
