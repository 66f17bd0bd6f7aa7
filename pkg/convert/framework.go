package convert

import (
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// What the API server takes at most.
const (
	mostTasks   = 10_000 // of a role
	mostRoles   = 200
	mostBudgets = 20
	mostEarlier = 10 // roles after which one starts
)

// When a role starts after another one.
const (
	whenReady     = "Ready"
	whenSucceeded = "Succeeded"
)

// unlimited is a number of retries without an end.
const unlimited = -1

// framework is one that is being made.
type framework struct {
	*notes
	name, generateName, namespace string
	labels, annotations           map[string]any

	suspend                         bool
	managedBy                       string
	ttl                             *int64
	retry                           retry
	gang                            *gang
	topology                        []any
	queue, priorityClass            string
	scheduleTimeout                 *int64
	network, publishesNotReady, ssh bool
	sshPath                         string
	roles                           []*role
	carried                         []word // which all Pods get from the object
}

// gang is which Tasks are of use only together.
type gang struct {
	minTasks *int64 // nil for all
	perRole  []any
}

// role is one that is being made.
type role struct {
	name  string
	tasks int64
	pod   *template
	// Thresholds as in the API.
	minFailed, minSucceeded int64
	retry                   retry
	startAfter              []any
	path                    string // where it was
	words                   []word // which its Pods have in the source
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
	backoff bool // as the kubelet waits between restarts, or the Job controller between Pods: from 10 s on
	longest int64
}

// budget is what a code has for itself.
type budget struct{ code, max int64 }

// add adds a budget for a code, if it has none yet: the first one counts.
func (r *retry) add(code, max int64) {
	for _, b := range r.budgets {
		if b.code == code {
			return
		}
	}
	r.budgets = append(r.budgets, budget{code, max})
}

// identity takes what names the object, and what its users have written about it.
func (c *conversion) identity(metadata *fields, all *Converter) {
	c.called = metadata.text("name")
	prefix := metadata.text("generateName")
	c.generateName = plainName(prefix)
	c.namespace = metadata.text("namespace")
	switch {
	case c.called != "" && plainName(c.called) == "":
		metadata.wrong("metadata.name", "%q has no lower-case letter and no digit, of which names of Frameworks are made", c.called)
	case c.called != "":
		all.nameFramework(c, metadata)
	case c.generateName == "":
		metadata.wrong("metadata.name", "is missing")
	case c.generateName != strings.TrimSuffix(prefix, "-"):
		metadata.note("generateName", "%s is %s here, as names consist of lower-case letters and digits", prefix, c.generateName)
	}
	c.labels = metadata.words("labels")
	c.annotations = metadata.words("annotations")
	c.objectKeys(metadata)
	metadata.lose("ownerReferences", "an owner would delete the Framework: add it yourself if it should")
	metadata.lose("finalizers", "whoever put them there does not know Frameworks")
	metadata.skip("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
		"managedFields", "selfLink") // of the API server
}

// ownName is what a Pod template calls the Framework: its name, or the placeholder if that is not known yet.
func (f *framework) ownName() string {
	if f.name == "" {
		return "{{FC_FRAMEWORK_NAME}}"
	}
	return f.name
}

// sourceName is the name by which the source's Pods and labels are called.
func (c *conversion) sourceName() string {
	if c.called == "" {
		return c.ownName()
	}
	return c.called
}

// add adds a role under a name of its own.
func (f *framework) add(r *role, called string) {
	plain := plainName(called)
	if plain == "" {
		plain = "role"
	}
	r.name = freeName(plain, func(name string) bool { return f.role(name) != nil })
	f.roles = append(f.roles, r)
}

// tellRename reports that a role is not called as in the source, where name is the field that calls it.
func (f *framework) tellRename(r *role, name *fields, called string) {
	if r.name != called {
		name.note("name", "%s is role %s here, as names consist of lower-case letters and digits; its Pods are named %s", called, r.name, f.podName(r.name, "{index}"))
	}
}

// role returns the one of that name, nil if there is none.
func (f *framework) role(name string) *role {
	for _, r := range f.roles {
		if r.name == name {
			return r
		}
	}
	return nil
}

// tasks is how many Tasks there are.
func (f *framework) tasks() (n int64) {
	for _, r := range f.roles {
		n += r.tasks
	}
	return n
}

// startsAfter has a role start after another one.
func (r *role) startsAfter(earlier *role, when string) {
	for _, each := range r.startAfter {
		if of := each.(map[string]any); of["role"] == earlier.name {
			if when == whenSucceeded { // which takes longer
				of["when"] = when
			}
			return
		}
	}
	r.startAfter = append(r.startAfter, map[string]any{"role": earlier.name, "when": when})
}

// isHeld reports whether the barrier holds Pods of the role until others have got as far as it wants.
func (r *role) isHeld() bool {
	return slices.ContainsFunc(r.startAfter, func(each any) bool { return each.(map[string]any)["when"] != whenSucceeded })
}

// waitsFor reports whether a role starts only after another one, at once or by way of others.
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

// judge finds what no Framework can be, and what its templates lack.
func (f *framework) judge() {
	if len(f.roles) > mostRoles {
		f.wrong("spec", "it would have %d roles, and a Framework has at most %d", len(f.roles), mostRoles)
	}
	for _, r := range f.roles {
		if f.waitsFor(r, r.name, map[string]bool{}) {
			f.wrong(r.path, "it would start after itself")
		}
		if len(r.startAfter) > mostEarlier {
			f.wrong(r.path, "it would start after %d roles, and a role starts after at most %d", len(r.startAfter), mostEarlier)
		}
		if r.isHeld() {
			f.say(r.pod.path+".spec.initContainers", "startAfter holds Pods by the barrier, an init container that the template has to have; the manual has it under The barrier")
		}
		if r.tasks < 0 || r.tasks > mostTasks {
			f.wrong(r.path, "it would have %d Tasks, and a role has 0 to %d", r.tasks, mostTasks)
		}
		if len(r.retry.budgets) > mostBudgets {
			f.wrong(r.path, "it would have %d budgets, and a retry policy has at most %d", len(r.retry.budgets), mostBudgets)
		}
	}
	if len(f.retry.budgets) > mostBudgets {
		f.wrong("spec", "it would have %d budgets, and a retry policy has at most %d", len(f.retry.budgets), mostBudgets)
	}
}

// object is the Framework as its YAML has it.
func (f *framework) manifest() map[string]any {
	metadata := map[string]any{}
	put(metadata, "name", f.name)
	put(metadata, "generateName", f.generateName)
	put(metadata, "namespace", f.namespace)
	put(metadata, "labels", f.labels)
	put(metadata, "annotations", f.annotations)
	spec := map[string]any{}
	put(spec, "suspend", f.suspend)
	put(spec, "managedBy", f.managedBy)
	put(spec, "ttlSecondsAfterFinished", f.ttl)
	put(spec, "scheduling", f.scheduling())
	put(spec, "retryPolicy", f.retry.manifest())
	if f.network {
		network := map[string]any{"dns": true}
		put(network, "publishNotReadyAddresses", f.publishesNotReady)
		spec["network"] = network
	}
	if f.ssh {
		spec["ssh"] = map[string]any{"mountPath": f.sshPath}
	}
	roles := []any{}
	for _, r := range f.roles {
		roles = append(roles, r.manifest())
	}
	spec["taskRoles"] = roles
	return map[string]any{"apiVersion": v1.SchemeGroupVersion.String(), "kind": v1.FrameworkKind, "metadata": metadata, "spec": spec}
}

func (f *framework) scheduling() map[string]any {
	scheduling := map[string]any{}
	put(scheduling, "queue", f.queue)
	put(scheduling, "priorityClassName", f.priorityClass)
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
	put(role, "frameworkAttemptCompletionPolicy", policy)
	put(role, "startAfter", r.startAfter)
	task := map[string]any{"pod": r.pod.of}
	put(task, "retryPolicy", r.retry.manifest())
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
		if b.max > 0 || b.max != r.max || r.fancy { // otherwise the policy itself says the same
			budgets = append(budgets, map[string]any{"code": b.code, "maxRetryCount": b.max})
		}
	}
	put(policy, "budgets", budgets)
	if r.backoff && (r.max != 0 || len(budgets) > 0) {
		policy["backoff"] = map[string]any{"initialDelaySec": int64(10), "maxDelaySec": r.longest}
	}
	return policy
}

// put adds a field, unless it is empty: that is the default of all that are added in this way.
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
