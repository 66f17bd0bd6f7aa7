package convert

import (
	"path"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Limits of the API server.
const (
	mostTasks   = 10_000 // per role
	mostRoles   = 200
	mostBudgets = 20
	mostEarlier = 10 // roles on which a role may wait
)

// The conditions of another role on which a role may wait.
const (
	whenReady     = "Ready"
	whenSucceeded = "Succeeded"
)

// unlimited is the number of retries without a limit.
const unlimited = -1

// framework is a Framework under construction.
type framework struct {
	*notes
	name, generateName, namespace string
	labels, annotations           map[string]any

	suspend, paused                 bool   // set by the field of that name, and because the source currently runs no Pods
	suspendPath                     string // path of the suspend field
	managedBy                       string
	ttl                             *int64
	deadline                        *int64 // seconds that it may run
	retry                           retry
	gang                            *gang
	topology                        []any
	queue, priorityClass            choice
	scheduleTimeout                 *int64
	network, publishesNotReady, ssh bool
	sshPath                         string
	roles                           []*role
	volumes                         []*volume
	carried                         []word // labels and annotations that all Pods get from the object
}

// choice is a value that several places of the source may set, with the place that has set it.
type choice struct{ value, path string }

func (f *framework) setQueue(path, queue string) {
	f.choose("scheduling.queue", &f.queue, choice{queue, path})
}

func (f *framework) setPriorityClass(path, class string) {
	f.choose("scheduling.priorityClassName", &f.priorityClass, choice{class, path})
}

// choose takes a value, unless it is empty, and reports a value that it replaces.
func (f *framework) choose(field string, of *choice, by choice) {
	if by.value == "" {
		return
	}
	if of.value != "" && of.value != by.value {
		f.say(of.path, "%s is dropped, because %s has %s, which becomes %s", of.value, by.path, by.value, field)
	}
	*of = by
}

// gang defines the Tasks that are only useful together.
type gang struct {
	minTasks *int64 // nil for all
	perRole  []any
}

// role is a role under construction.
type role struct {
	name  string
	tasks int64
	// parallelism is the maximum number of Tasks that run at once; no limit if it is 0, or not below tasks.
	parallelism int64
	deadline    *int64 // seconds that an attempt of a Task may run
	pod         *template
	// Thresholds as in the API.
	minFailed, minSucceeded int64
	retry                   retry
	startAfter              []any
	path                    string // path in the source
	words                   []word // labels and annotations of its Pods in the source
}

func newRole(path, name string, tasks int64, pod *template) *role {
	return &role{path: path, name: name, tasks: tasks, pod: pod, minFailed: 1, minSucceeded: -1}
}

// retry is a retry policy.
type retry struct {
	max     int64
	fancy   bool
	restart string
	budgets []budget
	backoff bool // pauses between restarts as the kubelet makes them, or between Pods as the Job controller does: from 10 s on
	longest int64
}

// budget is the separate retry budget of a code.
type budget struct{ code, max int64 }

// add adds a budget for a code, unless it has one already: the first one counts.
func (r *retry) add(code, max int64) {
	for _, b := range r.budgets {
		if b.code == code {
			return
		}
	}
	r.budgets = append(r.budgets, budget{code, max})
}

// of returns the number of retries for a code, unless the policy is fancy.
func (r *retry) of(code int64) int64 {
	for _, b := range r.budgets {
		if b.code == code {
			return b.max
		}
	}
	return r.max
}

// identity takes the names of the object, and the metadata written by its users.
func (c *conversion) identity(metadata *fields, all *Converter, avoided map[string]string) {
	c.called = metadata.text("name")
	prefix := metadata.text("generateName")
	c.generateName = PlainName(prefix)
	c.namespace = metadata.text("namespace")
	switch {
	case c.called != "" && PlainName(c.called) == "":
		metadata.wrong("metadata.name", "%q has no letter and no digit, and Framework names may contain nothing else", c.called)
	case c.called != "":
		all.nameFramework(c, metadata, avoided)
	case c.generateName == "":
		metadata.wrong("metadata.name", "is missing")
	case c.generateName != strings.TrimSuffix(prefix, "-"):
		metadata.note("generateName", "%s becomes %s, because Framework names may contain only lower-case letters and digits", prefix, c.generateName)
	}
	c.labels = metadata.words("labels")
	c.annotations = metadata.words("annotations")
	c.objectKeys(metadata)
	metadata.lose("ownerReferences", "dropped, because the garbage collector would delete the Framework together with its owner; add it if that is intended")
	metadata.lose("finalizers", "dropped, because the controllers that remove them do not handle Frameworks")
	metadata.skip("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
		"managedFields", "selfLink") // set by the API server
}

// ownName is how a Pod template refers to the Framework: its name, or the placeholder if that is not known yet.
func (f *framework) ownName() string {
	if f.name == "" {
		return "{{FC_FRAMEWORK_NAME}}"
	}
	return f.name
}

// sourceName is the name in the names of the source's Pods and in its labels.
func (c *conversion) sourceName() string {
	if c.called == "" {
		return c.ownName()
	}
	return c.called
}

// add adds a role under a unique name.
func (f *framework) add(r *role, called string) {
	plain := PlainName(called)
	if plain == "" {
		plain = "role"
	}
	r.name = freeName(plain, func(name string) bool { return f.role(name) != nil })
	f.roles = append(f.roles, r)
}

// tellRename reports that a role has another name than in the source; name is the object with the field for the name.
func (f *framework) tellRename(r *role, name *fields, called string) {
	if r.name != called {
		name.note("name", "%s becomes role %s, because role names may contain only lower-case letters and digits and must be unique; its Pods are named %s", called, r.name, f.podName(r.name, "{index}"))
	}
}

// role returns the role of that name, or nil.
func (f *framework) role(name string) *role {
	for _, r := range f.roles {
		if r.name == name {
			return r
		}
	}
	return nil
}

// tasks returns the total number of Tasks.
func (f *framework) tasks() (n int64) {
	for _, r := range f.roles {
		n += r.tasks
	}
	return n
}

// startsAfter makes a role start after another one.
func (r *role) startsAfter(earlier *role, when string) {
	for _, each := range r.startAfter {
		if of := each.(map[string]any); of["role"] == earlier.name {
			if when == whenSucceeded { // the later of the two conditions
				of["when"] = when
			}
			return
		}
	}
	r.startAfter = append(r.startAfter, map[string]any{"role": earlier.name, "when": when})
}

// isHeld reports whether the barrier holds Pods of the role until other roles have reached the condition.
func (r *role) isHeld() bool {
	return slices.ContainsFunc(r.startAfter, func(each any) bool { return each.(map[string]any)["when"] != whenSucceeded })
}

// waitsFor reports whether a role starts only after another one, directly or through others.
func (f *framework) waitsFor(r *role, name string, seen map[string]bool) bool {
	for _, each := range r.startAfter {
		earlier := each.(map[string]any)["role"].(string)
		if earlier == name {
			return true
		}
		if next := f.role(earlier); next != nil && !seen[earlier] {
			seen[earlier] = true
			if f.waitsFor(next, name, seen) {
				return true
			}
		}
	}
	return false
}

// The allowed values of a Framework's spec.ssh.mountPath.
const longestFolder = 255

var plainFolder = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)

// keysIn lets Pods reach each other with ssh, with the keys in the given folder, or in the default one if it is empty or not
// allowed in a Framework.
func (f *framework) keysIn(at, folder string) {
	f.ssh, f.sshPath = true, sshFolder
	switch clean := path.Clean(folder); {
	case folder == "":
	case !plainFolder.MatchString(clean) || len(clean) > longestFolder:
		f.say(at, "%q cannot be ssh.mountPath, which must be an absolute path of letters, digits, '.', '_' and '-'; the keys are in %s instead", folder, sshFolder)
	default:
		f.sshPath = clean
	}
}

// judge reports limits that the Framework exceeds, and missing parts of its templates.
func (f *framework) judge() {
	if len(f.roles) > mostRoles {
		f.wrong("spec", "the Framework would have %d roles; the maximum is %d", len(f.roles), mostRoles)
	}
	for _, r := range f.roles {
		if f.waitsFor(r, r.name, map[string]bool{}) {
			f.wrong(r.path, "the role would have to start after itself")
		}
		if len(r.startAfter) > mostEarlier {
			f.wrong(r.path, "the role would start after %d roles; the maximum is %d", len(r.startAfter), mostEarlier)
		}
		if r.isHeld() {
			f.say(r.pod.path+".spec.initContainers", "startAfter relies on the barrier: add its init container to this template (see \"The barrier\" in the manual)")
		}
		if r.tasks < 0 || r.tasks > mostTasks {
			f.wrong(r.path, "the role would have %d Tasks; the maximum is %d", r.tasks, mostTasks)
		}
		if len(r.retry.budgets) > mostBudgets {
			f.wrong(r.path, "the retry policy of the role would have %d budgets; the maximum is %d", len(r.retry.budgets), mostBudgets)
		}
	}
	if len(f.retry.budgets) > mostBudgets {
		f.wrong("spec", "the retry policy of the Framework would have %d budgets; the maximum is %d", len(f.retry.budgets), mostBudgets)
	}
}

// manifest returns the Framework, as in YAML.
func (f *framework) manifest() map[string]any {
	metadata := map[string]any{}
	put(metadata, "name", f.name)
	put(metadata, "generateName", f.generateName)
	put(metadata, "namespace", f.namespace)
	put(metadata, "labels", f.labels)
	put(metadata, "annotations", f.annotations)
	spec := map[string]any{}
	put(spec, "suspend", f.suspend || f.paused)
	put(spec, "managedBy", f.managedBy)
	put(spec, "ttlSecondsAfterFinished", f.ttl)
	put(spec, "activeDeadlineSeconds", f.deadline)
	put(spec, "scheduling", f.scheduling())
	put(spec, "retryPolicy", f.retry.manifest())
	if f.network {
		spec["network"] = map[string]any{"dns": true, "publishNotReadyAddresses": f.publishesNotReady} // the default of dns is true
	}
	if f.ssh {
		spec["ssh"] = map[string]any{"mountPath": f.sshPath}
	}
	var volumes []any
	for _, v := range f.volumes {
		volumes = append(volumes, v.manifest())
	}
	put(spec, "volumes", volumes)
	roles := []any{}
	for _, r := range f.roles {
		roles = append(roles, r.manifest())
	}
	spec["taskRoles"] = roles
	return map[string]any{"apiVersion": v1.SchemeGroupVersion.String(), "kind": v1.FrameworkKind, "metadata": metadata, "spec": spec}
}

func (f *framework) scheduling() map[string]any {
	scheduling := map[string]any{}
	put(scheduling, "queue", f.queue.value)
	put(scheduling, "priorityClassName", f.priorityClass.value)
	put(scheduling, "timeoutSec", f.scheduleTimeout)
	put(scheduling, "topology", f.topology)
	if f.gang != nil {
		gang := map[string]any{}
		put(gang, "minTasks", f.gang.minTasks)
		put(gang, "perRole", f.gang.perRole)
		scheduling["gang"] = gang
	}
	return scheduling
}

func (r *role) manifest() map[string]any {
	role := map[string]any{"name": r.name, "taskNumber": r.tasks}
	policy := map[string]any{}
	if r.minFailed != 1 || r.minSucceeded != -1 {
		policy = map[string]any{"minFailedTaskCount": r.minFailed, "minSucceededTaskCount": r.minSucceeded}
	}
	if r.parallelism < r.tasks {
		put(role, "parallelism", r.parallelism)
	}
	put(role, "frameworkAttemptCompletionPolicy", policy)
	put(role, "startAfter", r.startAfter)
	task := map[string]any{"pod": r.pod.of}
	put(task, "retryPolicy", r.retry.manifest())
	put(task, "activeDeadlineSeconds", r.deadline)
	role["task"] = task
	return role
}

func (r retry) manifest() map[string]any {
	policy := map[string]any{}
	put(policy, "fancyRetryPolicy", r.fancy)
	put(policy, "maxRetryCount", r.max)
	put(policy, "restart", r.restart)
	var budgets []any
	for _, b := range r.budgets {
		if b.max > 0 || b.max != r.max || r.fancy { // otherwise the policy itself has the same effect
			budgets = append(budgets, map[string]any{"code": b.code, "maxRetryCount": b.max})
		}
	}
	put(policy, "budgets", budgets)
	if r.backoff && (r.max != 0 || len(budgets) > 0) {
		policy["backoff"] = map[string]any{"initialDelaySec": int64(10), "maxDelaySec": r.longest}
	}
	return policy
}

// put adds a field unless it is empty, and only fits fields whose default in the CRD is empty, too.
func put(to map[string]any, key string, value any) {
	switch v := value.(type) {
	case string:
		if v != "" {
			to[key] = v
		}
	case bool:
		if v {
			to[key] = v
		}
	case int64:
		if v != 0 {
			to[key] = v
		}
	case *int64:
		if v != nil {
			to[key] = *v
		}
	case map[string]any:
		if len(v) > 0 {
			to[key] = v
		}
	case []any:
		if len(v) > 0 {
			to[key] = v
		}
	}
}
