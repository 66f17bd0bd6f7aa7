package convert

import (
	"fmt"
	"strings"
)

// longestName is that of a Framework or a role.
const longestName = 63

// plainName is a name as Frameworks and roles may have it: lower-case letters and digits.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	return plain[:min(len(plain), longestName)]
}

// podName is the name of a Task's Pod, whose index is a number or a placeholder.
func (f *framework) podName(role string, index any) string {
	return fmt.Sprintf("%s-%s-%v", f.ownName(), role, index)
}

// address is the name by which other Pods find that of a Task: that of the Framework's Service, or of another one if the template
// says so.
func (f *framework) address(r *role, index any) string {
	host, domain := r.pod.specText("hostname"), r.pod.specText("subdomain")
	if host == "" {
		host = f.podName(r.name, index)
	}
	if domain == "" {
		domain = f.ownName()
	}
	return host + "." + domain
}

// mostNames is how many bytes of names a Pod is told: in one variable Linux takes 128 KiB, and of annotations the API server 256 KiB.
const mostNames = 100_000

// tellsAll reports whether Pods can be told the names of all Tasks of these roles, and tells if not.
func (f *framework) tellsAll(roles ...*role) bool {
	bytes := 0
	for _, r := range roles {
		bytes += int(min(r.tasks, mostTasks)) * (len(f.address(r, mostTasks)) + 1)
	}
	if bytes > mostNames {
		f.say("spec", "the names of all Tasks are too long to be told to each Pod; the barrier has their addresses as files")
	}
	return bytes <= mostNames
}

// addresses are those of all Tasks of a role.
func (f *framework) addresses(r *role) (all []string) {
	for i := range min(r.tasks, mostTasks) {
		all = append(all, f.address(r, i))
	}
	return all
}

// stableName is a name of parts, such as train-workers-0-3, which a Pod of a JobSet has as its hostname.
func stableName(parts ...any) string {
	text := make([]string, len(parts))
	for i, part := range parts {
		text[i] = fmt.Sprint(part)
	}
	return strings.Join(text, "-")
}
