package convert

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// longestName limits the name of a Framework or a role.
const longestName = 63

// PlainName reduces a name to one that is allowed for Frameworks and roles: up to 63 lower-case letters and digits. It is empty
// if the name has none.
func PlainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	return plain[:min(len(plain), longestName)]
}

// freeName returns a name that is not taken: the name itself, or with the first number that makes it free.
func freeName(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = name[:min(len(name), longestName-4)] + strconv.Itoa(n)
	}
	return free
}

// origin identifies the object from which a Framework was made.
type origin struct{ group, kind, called string }

func (o origin) String() string { return o.kind + " " + o.called }

func (c *conversion) origin() origin {
	group, _, _ := strings.Cut(c.version, "/")
	return origin{group, c.kind, c.called}
}

// nameFramework gives the Framework an allowed name that no other object has taken, and reports how it differs.
func (all *Converter) nameFramework(c *conversion, metadata *fields, avoided map[string]string) {
	plain, own := PlainName(c.called), c.origin()
	at := func(name string) (origin, bool) {
		earlier, ok := all.frameworks[c.namespace+"/"+name]
		return earlier, ok
	}
	c.name = freeName(plain, func(name string) bool {
		earlier, taken := at(name)
		return taken && earlier != own || avoided[name] != ""
	})
	earlier, taken := at(plain)
	switch {
	case taken && earlier == own:
		metadata.note("name", "%s comes twice: of two Frameworks with the same name, the one that is applied last replaces the other", own)
	case taken && earlier.kind == v1.FrameworkKind:
		metadata.note("name", "%s becomes %s, because there is a Framework %s already; update everything that refers to it", c.called, c.name, plain)
	case taken:
		metadata.note("name", "%s becomes %s, because %s becomes Framework %s; update everything that refers to it", c.called, c.name, earlier, plain)
	case avoided[plain] != "":
		metadata.note("name", "%s becomes %s, because Framework %s would need a %s of its own, and there is another one of that name; update everything that refers to it",
			c.called, c.name, plain, avoided[plain])
	case c.called != c.name:
		metadata.note("name", "%s becomes %s, because Framework names may contain only lower-case letters and digits; update everything that refers to it", c.called, c.name)
	}
}

// name records the name of a Framework for later objects.
func (all *Converter) name(c *conversion) {
	if c.name == "" {
		return // the API server generates the name
	}
	all.take(c.namespace, c.name, c.origin())
}

func (all *Converter) take(namespace, name string, by origin) {
	if all.frameworks == nil {
		all.frameworks = map[string]origin{}
	}
	all.frameworks[namespace+"/"+name] = by
}

// reserve records the name of an object that is not converted, if it is a Framework or of a kind that Frameworks own.
func (all *Converter) reserve(object map[string]any) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	namespace, _ := metadata["namespace"].(string)
	group, _, _ := strings.Cut(version, "/")
	switch {
	case name == "":
	case group == v1.SchemeGroupVersion.Group && kind == v1.FrameworkKind:
		all.take(namespace, name, origin{group, kind, name})
	case version == "v1":
		if all.beside == nil {
			all.beside = map[string]bool{}
		}
		all.beside[besideKey(namespace, kind, name)] = true
	}
}

func besideKey(namespace, kind, name string) string { return namespace + "/" + kind + "/" + name }

// collides reports whether the Framework would own an object whose name another, unconverted object has, and adds its own name to avoided.
func (all *Converter) collides(c *conversion, avoided map[string]string) bool {
	if c.name == "" {
		return false
	}
	owned := map[string]string{"ConfigMap": v1.ConfigMapName(c.name)}
	if c.network {
		owned["Service"] = v1.ServiceName(c.name)
	}
	if c.ssh {
		owned["Secret"] = v1.SecretName(c.name)
	}
	for _, kind := range slices.Sorted(maps.Keys(owned)) {
		if all.beside[besideKey(c.namespace, kind, owned[kind])] {
			avoided[c.name] = kind + " " + owned[kind]
			return true
		}
	}
	return false
}

// podName returns the name of a Task's Pod; index is a number or a placeholder.
func (f *framework) podName(role string, index any) string {
	return fmt.Sprintf("%s-%s-%v", f.ownName(), role, index)
}

// setHostname gives the Pods of a role a hostname made of these parts, unless the template has one. An invalid name is
// reported: no Pod could have it.
func (r *role) setHostname(parts ...any) {
	host := stableName(parts...)
	longest := strings.NewReplacer(taskIndex, fmt.Sprint(max(r.tasks-1, 0)), "{{FC_FRAMEWORK_NAME}}", "x").Replace(host)
	if len(validation.IsDNS1123Label(longest)) > 0 {
		r.pod.say(r.pod.path+".spec.hostname", "%s is not a valid hostname; the Pods use their own names", longest)
		return
	}
	r.pod.setSpec("hostname", host)
}

// address returns the name by which other Pods find the Pod of a Task: under the Framework's Service, or another one if the
// template sets it.
func (f *framework) address(r *role, index any) string {
	host, domain := r.pod.specText("hostname"), r.pod.specText("subdomain")
	if host == "" {
		host = f.podName(r.name, index)
	}
	host = strings.ReplaceAll(host, taskIndex, fmt.Sprint(index)) // the index of this Task, not of the reader
	if domain == "" {
		domain = f.ownName()
	}
	return host + "." + domain
}

// volumeName returns a name for the volume of a claim, whose own name may have dots and be longer.
func volumeName(claim string) string {
	name := strings.ReplaceAll(claim, ".", "-")
	return strings.TrimRight(name[:min(len(name), longestName)], "-")
}

// mostNames limits the bytes of names passed to a Pod: Linux allows 128 KiB in one variable, and the API server 256 KiB of
// annotations.
const mostNames = 100_000

// tellsAll reports whether Pods can get the names of all Tasks of these roles; if not, the user is warned.
func (f *framework) tellsAll(roles ...*role) bool {
	bytes := 0
	for _, r := range roles {
		bytes += int(min(r.tasks, mostTasks)) * (len(f.address(r, mostTasks)) + 1)
	}
	if bytes > mostNames {
		f.say("spec", "the names of all Tasks are too long for environment variables and annotations; the barrier provides their addresses as files")
	}
	return bytes <= mostNames
}

// addresses returns the addresses of all Tasks of a role.
func (f *framework) addresses(r *role) (all []string) {
	for i := range min(r.tasks, mostTasks) {
		all = append(all, f.address(r, i))
	}
	return all
}

// stableName joins parts to a name such as train-workers-0-3, the hostname of a JobSet's Pod.
func stableName(parts ...any) string {
	text := make([]string, len(parts))
	for i, part := range parts {
		text[i] = fmt.Sprint(part)
	}
	return strings.Join(text, "-")
}
