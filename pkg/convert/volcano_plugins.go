package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Defaults of Volcano's plugins.
const (
	sshFolder   = "/root/.ssh"
	hostsFolder = "/etc/volcano"
	torchPort   = "23456"
	flowPort    = "2222"
)

// volcanoPlugins takes the effects of Volcano's plugins on Pods.
func (c *conversion) volcanoPlugins(plugins *fields, tasks []*volcanoTask) {
	if slices.ContainsFunc([]string{"svc", "mpi", "pytorch", "tensorflow"}, plugins.has) {
		c.keepHostnames(tasks)
	}
	for _, name := range plugins.keys() {
		if !plugins.has(name) {
			continue
		}
		flags := readFlags(plugins, name)
		switch name {
		case "svc":
			c.services(flags, tasks)
		case "env":
			for _, t := range tasks {
				setEnv(t.pod.allContainers(), variable{"VK_TASK_INDEX", taskIndex}, variable{"VC_TASK_INDEX", taskIndex})
			}
		case "ssh":
			c.keysIn(plugins.at(name), flags.take("ssh-key-file-path", ""))
			flags.take("no-root", "") // only the place of the keys differs
			flags.ownKeys()
		case "mpi":
			c.volcanoMPI(flags, tasks)
		case "pytorch":
			c.volcanoTorch(flags, tasks)
		case "tensorflow":
			c.volcanoFlow(flags, tasks)
		default:
			plugins.note(name, "unknown plugin; add whatever it sets in Pods to the Pod templates")
		}
		flags.rest()
	}
	for _, also := range []string{"mpi", "pytorch", "tensorflow"} {
		if plugins.has(also) && !plugins.has("svc") {
			c.network = true
			c.hosts(tasks)
		}
	}
}

// keepHostnames keeps Pods reachable under the names of their tasks, even if a role has another name.
func (c *conversion) keepHostnames(tasks []*volcanoTask) {
	for _, t := range tasks {
		if c.called != "" && t.name != t.called {
			t.setHostname(c.called, t.called, taskIndex)
		}
	}
}

// flags are the arguments of a plugin.
type flags struct {
	of     *fields
	plugin string
	values map[string]string
}

func readFlags(plugins *fields, plugin string) *flags {
	f := &flags{plugins, plugin, map[string]string{}}
	texts := plugins.texts(plugin)
	for i := 0; i < len(texts); i++ {
		name, value, hasValue := strings.Cut(strings.TrimLeft(texts[i], "-"), "=")
		// The content of a key begins with dashes, too.
		if !hasValue && i+1 < len(texts) && (!strings.HasPrefix(texts[i+1], "-") || slices.Contains(keyFlags, name)) {
			i++
			value = texts[i]
		}
		f.values[name] = value
	}
	return f
}

// take returns a flag, or the given default.
func (f *flags) take(name, otherwise string) string {
	value, ok := f.values[name]
	delete(f.values, name)
	if !ok {
		return otherwise
	}
	return value
}

// on reports whether a flag is set.
func (f *flags) on(name string) bool {
	value, ok := f.values[name]
	delete(f.values, name)
	return ok && value != "false"
}

// keyFlags pass the user's own keys to the plugin ssh.
var keyFlags = []string{"ssh-private-key", "ssh-public-key"}

// ownKeys reports the user's own keys, which a Framework cannot use.
func (f *flags) ownKeys() {
	for _, name := range keyFlags {
		if f.take(name, "") != "" {
			f.of.note(f.plugin, "the argument %s is dropped: each Framework gets a new pair of keys, in the Secret {framework}-ssh; programs that use yours cannot log in", name)
		}
	}
}

// rest reports the flags that were not taken.
func (f *flags) rest() {
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		f.of.note(f.plugin, "the argument %s has no equivalent; it is dropped", name)
	}
}

// services converts the plugin svc: names in DNS, and lists of the other Pods.
func (c *conversion) services(flags *flags, tasks []*volcanoTask) {
	c.network = true
	c.publishesNotReady = flags.on("publish-not-ready-addresses")
	if !flags.on("disable-network-policy") {
		flags.of.note("svc", "a Framework has no NetworkPolicy that keeps other Pods away; create one with the label FC_FRAMEWORK_NAME in podSelector and from")
	}
	c.hosts(tasks)
}

// hosts passes each Pod the names of all, as variables and as files.
func (c *conversion) hosts(tasks []*volcanoTask) {
	var variables, files []variable
	if !c.tellsAll(c.roles...) {
		return
	}
	for _, t := range tasks {
		key := strings.ToUpper(strings.ReplaceAll(t.called, "-", "_"))
		names := c.addresses(t.role)
		variables = append(variables, variable{"VC_" + key + "_HOSTS", strings.Join(names, ",")}, variable{"VC_" + key + "_NUM", strconv.Itoa(len(names))})
		files = append(files, variable{strings.ReplaceAll(t.called, "-", "_") + ".host", strings.Join(names, "\n")})
	}
	for _, t := range tasks {
		setEnv(t.pod.allContainers(), variables...)
		t.pod.files(t.pod.allContainers(), "hosts", hostsFolder, files...)
	}
}

// volcanoMPI converts the plugin mpi: the master knows the workers, and reaches them with ssh.
func (c *conversion) volcanoMPI(flags *flags, tasks []*volcanoTask) {
	master, workers := taskOf(tasks, flags.take("master", "master")), taskOf(tasks, flags.take("worker", "worker"))
	flags.take("port", "") // declaring it opens nothing
	if !c.ssh {
		c.keysIn(flags.of.at(flags.plugin), "")
	}
	if master == nil || workers == nil {
		flags.of.note("mpi", "the Job has no tasks with the names in the arguments of the plugin")
		return
	}
	if !c.tellsAll(workers.role) {
		return
	}
	setEnv(master.pod.containers(), variable{"MPI_HOST", strings.Join(c.addresses(workers.role), ",")})
}

// volcanoTorch converts the plugin pytorch.
func (c *conversion) volcanoTorch(flags *flags, tasks []*volcanoTask) {
	master, workers := taskOf(tasks, flags.take("master", "master")), taskOf(tasks, flags.take("worker", "worker"))
	port := flags.take("port", torchPort)
	if master == nil {
		flags.of.note("pytorch", "the Job has no task with the name of the master")
		return
	}
	c.first(master.role)
	size := master.tasks
	if workers == master {
		workers = nil // its Pods are counted only once
	}
	if workers != nil {
		size += workers.tasks
		c.second(workers.role)
	}
	for _, t := range tasks {
		known := []variable{{"MASTER_ADDR", c.address(master.role, 0)}, {"MASTER_PORT", port}, {"WORLD_SIZE", strconv.FormatInt(size, 10)}}
		if t == master || t == workers {
			known = append(known, variable{"RANK", "$(FC_TASK_RANK)"})
		}
		setEnv(t.pod.containers(), known...)
	}
}

// first and second move a role to the front, which determines FC_TASK_RANK.
func (f *framework) first(r *role)  { f.move(r, 0) }
func (f *framework) second(r *role) { f.move(r, 1) }

func (f *framework) move(r *role, to int) {
	var others []*role
	for _, other := range f.roles {
		if other != r {
			others = append(others, other)
		}
	}
	f.roles = slices.Insert(others, min(to, len(others)), r)
}

// volcanoFlow converts the plugin tensorflow.
func (c *conversion) volcanoFlow(flags *flags, tasks []*volcanoTask) {
	port := flags.take("port", flowPort)
	var members []member
	for _, kind := range []string{"ps", "worker", "chief", "evaluator"} {
		t := taskOf(tasks, flags.take(kind, kind))
		if t != nil && !slices.ContainsFunc(members, func(m member) bool { return m.role == t.role }) {
			members = append(members, member{kind, t.role})
		}
	}
	c.tensorFlowConfig(members, port)
}
