package convert

import (
	"fmt"
	"strings"
)

// volcanoTask is a task of a Volcano Job, and its role.
type volcanoTask struct {
	*fields
	*role
	called string
	least  *int64 // minAvailable
}

// volcano converts a Job of Volcano.
func (c *conversion) volcano(spec *fields) {
	scheduler := spec.text("schedulerName")
	c.volcanoQueue(spec, scheduler)
	c.setPriorityClass(spec.at("priorityClassName"), spec.text("priorityClassName"))
	c.timeToLive(spec)
	var tasks []*volcanoTask
	for i, of := range spec.objects("tasks") {
		t := &volcanoTask{fields: of, called: of.text("name")}
		if t.called == "" {
			t.called = fmt.Sprintf("default%d", i)
		}
		t.role = newRole(of.path, "", of.numberOr("replicas", 0), of.template("template"))
		c.add(t.role, t.called)
		c.tellRename(t.role, of, t.called)
		c.volcanoWords(t)
		t.pod.resolvesOnHost()
		if least, ok := of.number("minAvailable"); ok {
			t.least = &least
		}
		if scheduler != "" {
			t.pod.setSpec("schedulerName", scheduler)
		}
		of.lose("topologyPolicy", "the topology manager of the node decides, by the resources of the Pod: use a Guaranteed Pod")
		of.lose("partitionPolicy", "a role has no partitions: make each partition a role, and name these roles in scheduling.topology")
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		spec.wrong(spec.at("tasks"), "must have at least one task")
	}
	c.volcanoGang(spec, tasks)
	c.volcanoPolicies(spec, tasks)
	c.volcanoPreemption(tasks, scheduler)
	c.volcanoOrder(tasks)
	c.volcanoPlugins(spec.object("plugins"), tasks)
	for _, volume := range spec.objects("volumes") {
		c.volcanoVolume(volume, tasks)
	}
	spec.lose("networkTopology", "use scheduling.topology with the node label of the tier as key, and mode Required for hard or Preferred for soft; topologyTiers of hints-volcano maps the label to its tier")
	spec.lose("runningEstimate", "dropped, because a Framework has no estimate of its running time")
}

// Defaults set by Volcano's admission.
const (
	volcanoScheduler = "volcano"
	volcanoDefault   = "default" // queue
)

func (c *conversion) isVolcano() bool { return strings.HasPrefix(c.version, "batch.volcano.sh/") }

// volcanoQueue takes the queue, which Volcano sets in Jobs without one. hints-volcano ignores Frameworks without a queue.
func (c *conversion) volcanoQueue(spec *fields, scheduler string) {
	queue := spec.text("queue")
	if queue == "" && c.queue.value == "" && (scheduler == "" || scheduler == volcanoScheduler) {
		queue = volcanoDefault
		spec.note("queue", "Volcano puts a Job without a queue into the queue %s; the Framework names it", queue)
	}
	c.setQueue(spec.at("queue"), queue)
}

// volcanoPodKeys are keys that Volcano copies from a Job to its Pods, where its scheduler reads them.
var volcanoPodKeys = []string{"volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone"}

// volcanoWords sets the labels and annotations of a task's Pods.
func (c *conversion) volcanoWords(t *volcanoTask) {
	namespace := c.namespace
	if namespace == "" {
		namespace = "{{FC_FRAMEWORK_NAMESPACE}}"
	}
	t.gives(asBoth, "volcano.sh/job-name", c.sourceName(), "volcano.sh/task-spec", t.called, "volcano.sh/task-index", taskIndex,
		"volcano.sh/queue-name", c.queue.value)
	t.gives(asLabel, "volcano.sh/job-namespace", namespace)
	t.gives(asAnnotation, "volcano.sh/template-uid", stableName(c.sourceName(), t.called))
}

// resolvesOnHost makes Pods in the network of their node use the cluster's DNS, as Volcano's admission does.
func (t *template) resolvesOnHost() {
	if t.spec()["hostNetwork"] == true {
		t.setSpec("dnsPolicy", "ClusterFirstWithHostNet")
	}
}

// volcanoGang takes how many Pods are only useful together.
func (c *conversion) volcanoGang(spec *fields, tasks []*volcanoTask) {
	least, sum := leastOf(spec, tasks)
	if least == 0 {
		if c.tasks() > 0 {
			spec.note("minAvailable", "no Pods have to be placed together, so the Framework has no gang")
		}
		return
	}
	c.gang = &gang{}
	if least >= c.tasks() {
		return
	}
	c.gang.minTasks = &least
	for _, t := range tasks {
		// Volcano checks single tasks only if the Job needs all of their Pods.
		if n := t.available(); least >= sum && n > 0 {
			c.gang.perRole = append(c.gang.perRole, map[string]any{"role": t.name, "minTasks": n})
		}
	}
}

// leastOf returns the minimum number of Pods of a Job, and of its tasks together. 0 means that the Job does not set it.
func leastOf(spec *fields, tasks []*volcanoTask) (least, sum int64) {
	for _, t := range tasks {
		sum += t.available()
	}
	if said, ok := spec.positive("minAvailable"); ok {
		return said, sum
	}
	return sum, sum
}

// volcanoOrder takes the start order of tasks.
func (c *conversion) volcanoOrder(tasks []*volcanoTask) {
	for _, t := range tasks {
		on := t.object("dependsOn")
		names, iteration := on.texts("name"), on.oneOf("iteration", "all", "any")
		if iteration == "any" && len(names) > 1 {
			on.note("iteration", "all of %s have to be ready, not only one of them", strings.Join(names, ", "))
		}
		for _, name := range names {
			earlier := taskOf(tasks, name)
			if earlier == nil {
				on.wrong(on.at("name"), "there is no task %q", name)
				continue
			}
			t.startsAfter(earlier.role, whenReady)
		}
	}
}

func taskOf(tasks []*volcanoTask, called string) *volcanoTask {
	for _, t := range tasks {
		if t.called == called {
			return t
		}
	}
	return nil
}
