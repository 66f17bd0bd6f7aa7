package convert

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
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

// freeName is a name that is not taken: the name itself, or else one with the first number that makes it free.
func freeName(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = name[:min(len(name), longestName-4)] + strconv.Itoa(n)
	}
	return free
}

// origin is which object a Framework was made of.
type origin struct{ group, kind, called string }

func (o origin) String() string { return o.kind + " " + o.called }

func (c *conversion) origin() origin {
	group, _, _ := strings.Cut(c.version, "/")
	return origin{group, c.kind, c.called}
}

// nameFramework gives the Framework a name that no other object of the file has taken, and reports how it differs.
func (all *Converter) nameFramework(c *conversion, metadata *fields) {
	plain, own := plainName(c.called), c.origin()
	at := func(name string) (origin, bool) {
		earlier, ok := all.frameworks[c.namespace+"/"+name]
		return earlier, ok
	}
	c.name = freeName(plain, func(name string) bool {
		earlier, taken := at(name)
		return taken && earlier != own
	})
	earlier, taken := at(plain)
	switch {
	case taken && earlier == own:
		metadata.note("name", "%s comes twice: of two Frameworks with one name, the one that is applied later replaces the other", own)
	case taken:
		metadata.note("name", "%s is %s here, as %s is Framework %s already; mind what refers to it", c.called, c.name, earlier, plain)
	case c.called != c.name:
		metadata.note("name", "%s is %s here, as names are of lower-case letters and digits; mind what refers to it", c.called, c.name)
	}
}

// name remembers the name of a Framework for the objects that follow.
func (all *Converter) name(c *conversion) {
	if c.name == "" {
		return // the API server will give it one
	}
	if all.frameworks == nil {
		all.frameworks = map[string]origin{}
	}
	all.frameworks[c.namespace+"/"+c.name] = c.origin()
}

// podName is the name of a Task's Pod, whose index is a number or a placeholder.
func (f *framework) podName(role string, index any) string {
	return fmt.Sprintf("%s-%s-%v", f.ownName(), role, index)
}

// setHostname gives the Pods of a role a hostname of such parts, unless the template has one. A name that is none is reported: no Pod
// could have it.
func (r *role) setHostname(parts ...any) {
	host := stableName(parts...)
	longest := strings.NewReplacer(taskIndex, fmt.Sprint(max(r.tasks-1, 0)), "{{FC_FRAMEWORK_NAME}}", "x").Replace(host)
	if len(validation.IsDNS1123Label(longest)) > 0 {
		r.pod.say(r.pod.path+".spec.hostname", "%s is no hostname, so Pods have their own names for it", longest)
		return
	}
	r.pod.setSpec("hostname", host)
}

// address is the name by which other Pods find that of a Task: that of the Framework's Service, or of another one if the template
// says so.
func (f *framework) address(r *role, index any) string {
	host, domain := r.pod.specText("hostname"), r.pod.specText("subdomain")
	if host == "" {
		host = f.podName(r.name, index)
	}
	host = strings.ReplaceAll(host, taskIndex, fmt.Sprint(index)) // of that Task, and not of the one that reads it
	if domain == "" {
		domain = f.ownName()
	}
	return host + "." + domain
}

// volumeName is a name for the volume of a claim, whose own may have dots and be longer.
func volumeName(claim string) string {
	name := strings.ReplaceAll(claim, ".", "-")
	return strings.TrimRight(name[:min(len(name), longestName)], "-")
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
