package convert

import (
	"fmt"
	"strings"
)

// volcanoTask is a task of a Volcano Job, and the role that it becomes.
type volcanoTask struct {
	*fields
	*role
	called string
	least  *int64 // minAvailable
}

// volcano converts a Job of Volcano.
func (c *conversion) volcano(spec *fields) {
	c.queue = spec.text("queue")
	c.priorityClass = spec.text("priorityClassName")
	c.timeToLive(spec)
	scheduler := spec.text("schedulerName")
	var tasks []*volcanoTask
	for i, of := range spec.objects("tasks") {
		t := &volcanoTask{fields: of, called: of.text("name")}
		if t.called == "" {
			t.called = fmt.Sprintf("default%d", i)
		}
		t.role = newRole(of.path, "", of.numberOr("replicas", 0), of.template("template"))
		c.add(t.role, t.called)
		if least, ok := of.number("minAvailable"); ok {
			t.least = &least
		}
		if scheduler != "" {
			t.pod.setSpec("schedulerName", scheduler)
		}
		of.lose("topologyPolicy", "a Pod says it to its node by its resources, as in a Guaranteed Pod, and the node's topology manager decides")
		of.lose("partitionPolicy", "a role has no partitions: make each a role of its own, and name these in scheduling.topology")
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		spec.wrong(spec.at("tasks"), "has no task")
	}
	c.volcanoGang(spec, tasks)
	c.volcanoPolicies(spec, tasks)
	c.volcanoOrder(tasks)
	c.volcanoPlugins(spec.object("plugins"), tasks)
	for _, volume := range spec.objects("volumes") {
		c.volcanoVolume(volume, tasks)
	}
	spec.lose("networkTopology", "it names a tier of HyperNodes, and a Framework the label that nodes have in common: scheduling.topology with that key, mode Required for hard and Preferred for soft, and topologyTiers of hints-volcano has its tier")
	spec.lose("runningEstimate", "a Framework has no estimate")
}

// volcanoGang takes how many Pods are of use only together.
func (c *conversion) volcanoGang(spec *fields, tasks []*volcanoTask) {
	c.gang = &gang{}
	total := c.tasks()
	least, said := spec.number("minAvailable")
	sum := int64(0)
	for _, t := range tasks {
		if t.available() < t.tasks {
			c.gang.perRole = append(c.gang.perRole, map[string]any{"role": t.name, "minTasks": t.available()})
		}
		sum += t.available()
	}
	if !said {
		least = sum
	}
	if least < total {
		c.gang.minTasks = &least
	}
}

// volcanoOrder takes which tasks start before others.
func (c *conversion) volcanoOrder(tasks []*volcanoTask) {
	for _, t := range tasks {
		on := t.object("dependsOn")
		names, iteration := on.texts("name"), on.text("iteration")
		if iteration == "any" && len(names) > 1 {
			on.note("iteration", "here all of %s have to be ready, and not any", strings.Join(names, ", "))
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

// volcanoVolume has a volume in the Pods of all tasks.
func (c *conversion) volcanoVolume(volume *fields, tasks []*volcanoTask) {
	folder, claim := volume.text("mountPath"), volume.text("volumeClaimName")
	volume.lose("volumeClaim", "make the PersistentVolumeClaim yourself, and name it in volumes of the Pod templates, mounted at %s", folder)
	if claim == "" {
		if !volume.has("volumeClaim") {
			volume.note("volumeClaimName", "without a claim there is no volume; put it into the Pod templates")
		}
		return
	}
	if volume.has("volumeClaim") {
		return
	}
	for _, t := range tasks {
		t.pod.mount(t.pod.containers(), plainName(claim), folder, map[string]any{"persistentVolumeClaim": map[string]any{"claimName": claim}})
	}
}
