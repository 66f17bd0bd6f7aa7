package convert

import (
	"maps"
	"slices"
	"strings"
)

// systemDomains are those of keys that a controller or a scheduler of jobs acts upon. All other keys are the user's own, or those of
// systems that do not mind the kind of an object, and are passed on.
var systemDomains = []string{
	"batch.kubernetes.io", "jobset.sigs.k8s.io", "kubeflow.org", "kueue.x-k8s.io", "scheduling.k8s.io", "scheduling.x-k8s.io",
	"scheduling.sigs.k8s.io", "volcano.sh", "yunikorn.apache.org", "koordinator.sh", "run.ai", "kai.scheduler",
}

// isOfSystem reports whether a key, such as kueue.x-k8s.io/queue-name, is in a system's domain or below it.
func isOfSystem(key string) bool {
	domain, _, hasDomain := strings.Cut(key, "/")
	return hasDomain && slices.ContainsFunc(systemDomains, func(system string) bool {
		return domain == system || strings.HasSuffix(domain, "."+system)
	})
}

// The labels of Kueue that have an equal.
const (
	kueueQueue    = "kueue.x-k8s.io/queue-name"
	kueuePriority = "kueue.x-k8s.io/priority-class"
)

// bookkeeping are keys that a controller or kubectl has written for itself, and that are of no use in another object.
var bookkeeping = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "batch.kubernetes.io/job-tracking", "batch.kubernetes.io/controller-uid",
	"controller-uid", "kubeflow.org/last-applied-configuration",
}

// nearest has what comes nearest to the keys of objects that have no equal, by their beginnings.
var nearest = map[string]string{
	"alpha.jobset.sigs.k8s.io/exclusive-topology": "scheduling.topology places all Pods in one domain of a node label; for a domain per Job, make a Framework of each; that others stay away from the domain is for anti-affinity in the Pod templates",
	"alpha.jobset.sigs.k8s.io/node-selector":      "put the nodeSelector into the Pod templates",
	"kueue.x-k8s.io/job-min-parallelism":          "Kueue admits all Tasks or none; with partialAdmission of hints-kueue, as few as scheduling.gang.minTasks",
	"kueue.x-k8s.io/job-completions-equal":        "completions and parallelism are one number here, taskNumber",
	"kueue.x-k8s.io/max-exec-time-seconds":        "a Framework has no time limit; activeDeadlineSeconds in the Pod templates is one for each Pod",
	"kueue.x-k8s.io/podset-":                      "Kueue gets the topology from scheduling.topology of the Framework, by hints-kueue",
	"volcano.sh/sla-waiting-time":                 "waiting raises no priority here; scheduling.timeoutSec gives up an attempt that is not placed in time",
	"volcano.sh/task-topology-":                   "let affinity in the Pod templates, by the label FC_TASKROLE_NAME, say which Pods are close to each other",
	"scheduling.k8s.io/group-name":                "hints-volcano makes a PodGroup for each attempt",
}

// instead says what becomes of a key without an equal.
func instead(key string) string {
	for _, beginning := range slices.Sorted(maps.Keys(nearest)) {
		if strings.HasPrefix(key, beginning) {
			return nearest[beginning]
		}
	}
	return "it has no meaning on a Framework, and is left out"
}

// objectKeys takes the labels and annotations of the object that its controller or scheduler acts upon. The others stay.
func (c *conversion) objectKeys(metadata *fields) {
	for kind, words := range map[string]map[string]any{"labels": c.labels, "annotations": c.annotations} {
		for _, key := range slices.Sorted(maps.Keys(words)) {
			value := words[key].(string)
			switch {
			case slices.Contains(bookkeeping, key):
			case key == kueueQueue:
				c.queue = value
			case key == kueuePriority:
				c.priorityClass = value
			case c.isVolcano() && slices.Contains(volcanoPodKeys, key):
				c.carried = append(c.carried, word{key, value, []string{kind}})
			case isOfSystem(key):
				metadata.note(kind+"."+key, "%s", instead(key))
			default:
				continue
			}
			delete(words, key)
		}
	}
}

// templateKeys reports keys of Pod templates that a controller of jobs has read there, and that nobody reads in Pods.
func (c *conversion) templateKeys(pod *template) {
	for _, kind := range []string{"labels", "annotations"} {
		words := pod.words(kind)
		for _, key := range slices.Sorted(maps.Keys(words)) {
			path := pod.path + ".metadata." + kind + "." + key
			switch {
			case key == kueueQueue:
				value, _ := words[key].(string)
				if c.queue == "" {
					c.queue = value
				}
				delete(words, key)
				pod.say(path, "a Pod with it would wait in Kueue by itself, so it is left out; the queue of the Framework is scheduling.queue, %s here", c.queue)
			case strings.HasPrefix(key, "kueue.x-k8s.io/"), strings.HasPrefix(key, "alpha.jobset.sigs.k8s.io/"):
				pod.say(path, "%s", instead(key))
			}
		}
	}
}
