package convert

import (
	"maps"
	"slices"
	"strings"
)

// systemDomains are the domains of keys for controllers or schedulers of jobs. All other keys belong to users, or to systems
// that accept any kind of object, and are passed on.
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

// The labels of Kueue that have an equivalent.
const (
	kueueQueue    = "kueue.x-k8s.io/queue-name"
	kueuePriority = "kueue.x-k8s.io/priority-class"
)

// bookkeeping are keys that a controller or kubectl has written for itself, and that are useless in another object.
var bookkeeping = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "batch.kubernetes.io/job-tracking", "batch.kubernetes.io/controller-uid",
	"controller-uid", "kubeflow.org/last-applied-configuration",
}

// waited are annotations, by prefix, that stay although the programs that read them do not wait for a Framework.
var waited = map[string]string{
	"helm.sh/hook":                          "Helm waits only for hooks that are Jobs or Pods: it continues as soon as the Framework is created",
	"helm.sh/hook-delete-policy":            "Helm considers a Framework done as soon as it is created, so hook-succeeded deletes it while it runs: use ttlSecondsAfter of the Framework instead, with succeeded or failed",
	"argocd.argoproj.io/hook":               "Argo CD considers a Framework healthy as soon as it is created, and continues, unless argocd-cm has a health check for Frameworks (see \"GitOps, Helm and Argo\" in the manual)",
	"argocd.argoproj.io/hook-delete-policy": "Argo CD considers a Framework done as soon as it is created, so HookSucceeded deletes it while it runs, unless argocd-cm has a health check for Frameworks",
	"argocd.argoproj.io/sync-wave":          "Argo CD begins the next wave as soon as the Framework is created, unless argocd-cm has a health check for Frameworks (see \"GitOps, Helm and Argo\" in the manual)",
}

// nearest has the closest alternatives for keys of objects without an equivalent, by prefix.
var nearest = map[string]string{
	"alpha.jobset.sigs.k8s.io/exclusive-topology": "scheduling.topology places all Pods in one domain of a node label; for a domain per Job, create a Framework for each Job; to keep other Pods out of the domain, use anti-affinity in the Pod templates",
	"alpha.jobset.sigs.k8s.io/node-selector":      "use nodeSelector in the Pod templates",
	"kueue.x-k8s.io/job-min-parallelism":          "Kueue admits all Tasks or none; with partialAdmission of hints-kueue, it may admit as few as scheduling.gang.minTasks",
	"kueue.x-k8s.io/job-completions-equal":        "nobody but you changes taskNumber and parallelism of a Framework; with partialAdmission of hints-kueue, Kueue may admit fewer Tasks than there are",
	"kueue.x-k8s.io/max-exec-time-seconds":        "use activeDeadlineSeconds of the Framework, which then fails; Kueue would hold it back until it is activated again",
	"kueue.x-k8s.io/podset-":                      "use scheduling.topology of the Framework, which hints-kueue passes to Kueue",
	"volcano.sh/sla-waiting-time":                 "the priority of a Framework does not rise while it waits; scheduling.timeoutSec ends an attempt that is not placed in time",
	"volcano.sh/task-topology-":                   "use affinity by the label FC_TASKROLE_NAME in the Pod templates to place Pods close to each other",
	"scheduling.k8s.io/group-name":                "hints-volcano creates a PodGroup for each attempt",
}

// instead returns the closest alternative for a key without an equivalent, or the given default.
func instead(key, otherwise string) string {
	for _, beginning := range slices.Sorted(maps.Keys(nearest)) {
		if strings.HasPrefix(key, beginning) {
			return nearest[beginning]
		}
	}
	return otherwise
}

// objectKeys takes the labels and annotations for the object's controller or scheduler. The others stay.
func (c *conversion) objectKeys(metadata *fields) {
	of := map[string]map[string]any{"labels": c.labels, "annotations": c.annotations}
	for _, kind := range asBoth {
		words := of[kind]
		for _, key := range slices.Sorted(maps.Keys(words)) {
			value, path := words[key].(string), metadata.at(kind+"."+key)
			switch {
			case slices.Contains(bookkeeping, key):
			case key == kueueQueue:
				c.kueueQueue = value
				c.setQueue(path, value)
			case key == kueuePriority:
				c.kueueClass = value
				c.setPriorityClass(path, value)
			case c.isVolcano() && slices.Contains(volcanoPodKeys, key):
				c.carried = append(c.carried, word{key, value, []string{kind}})
			case isOfSystem(key):
				c.say(path, "%s", instead(key, "Frameworks do not support this key; it is removed"))
			case waited[key] != "":
				c.say(path, "%s", waited[key])
				continue
			default:
				continue
			}
			delete(words, key)
		}
	}
}

// leaveToKueue drops the suspension of an object that Kueue would resume: hints-kueue holds back the Pods of a Framework until
// Kueue admits it, and changes no field. It also reports a priority class that the plugin may refuse.
func (c *conversion) leaveToKueue() {
	if c.kueueQueue != "" && c.suspend && !c.paused {
		c.suspend = false
		c.say(c.suspendPath, "dropped: Kueue would resume this object, but never the Framework; hints-kueue holds back its Pods instead until Kueue admits it")
	}
	if class := c.priorityClass; class.value != "" && (c.kueueQueue != "" || class.value == c.kueueClass) {
		c.say(class.path, "becomes scheduling.priorityClassName; hints-kueue refuses the Framework unless its parameter workloadPriorities, "+
			"or priorities for a PriorityClass, has the number of %s", class.value)
	}
}

// templateKeys reports keys of Pod templates that a job controller reads there, and that nothing reads in Pods.
func (c *conversion) templateKeys(pod *template) {
	for _, kind := range []string{"labels", "annotations"} {
		words := pod.words(kind)
		for _, key := range slices.Sorted(maps.Keys(words)) {
			path := pod.path + ".metadata." + kind + "." + key
			switch {
			case key == kueueQueue:
				value, _ := words[key].(string)
				if c.queue.value == "" {
					c.setQueue(path, value)
				}
				delete(words, key)
				pod.say(path, "removed, because Kueue would queue each Pod with this label by itself; the queue of the Framework is scheduling.queue, %s", c.queue.value)
			case strings.HasPrefix(key, "kueue.x-k8s.io/"), strings.HasPrefix(key, "alpha.jobset.sigs.k8s.io/"):
				pod.say(path, "%s", instead(key, "nothing reads this key in the Pods of a Framework; it stays without an effect"))
			}
		}
	}
}
