package convert

import (
	"slices"
	"strconv"
	"strings"
)

// Of batch/v1 Jobs.
const (
	jobBackoffLimit = 6   // retries of all Pods together, if it does not say
	jobLongestDelay = 360 // seconds between two of them
	jobName         = "job-name"
	jobNameLabel    = "batch.kubernetes.io/job-name"
	completionIndex = "JOB_COMPLETION_INDEX"
	indexAnnotation = "batch.kubernetes.io/job-completion-index"
	taskIndex       = "{{FC_TASK_INDEX}}"
)

// job converts a Job of batch/v1: its Pods are the Tasks of one role.
func (c *conversion) job(spec *fields) {
	indexed := spec.oneOf("completionMode", "NonIndexed", "Indexed") == "Indexed"
	c.suspend = spec.yes("suspend")
	c.managed(spec, "kubernetes.io/job-controller")
	c.timeToLive(spec)
	c.jobScheduling(spec)
	j := c.jobOf(spec)
	c.add(j.role, "worker")
	if j.runsNone {
		c.suspend = true
		spec.note("parallelism", "0 runs no Pod; here suspend: true does the same, with taskNumber %d", j.tasks)
	}
	if j.tasks == 0 {
		spec.note("completions", "a Job of 0 completions is complete at once; a Framework without Tasks runs until it is stopped, so leave it out")
	}
	if success, all := j.succeedsAt, j.tasks; success > 0 && success < all {
		j.minSucceeded = success
	}
	name := c.sourceName()
	if indexed {
		j.index(taskIndex)
		j.setHostname(name, taskIndex)
	}
	j.gives(asLabel, jobName, name, jobNameLabel, name)
	if j.pod.specText("subdomain") != "" {
		// The Service of that name finds the Pods as it did those of the Job.
		j.pod.word("labels", jobName, name)
		j.pod.word("labels", jobNameLabel, name)
	}
}

// managed takes who runs the object; its own controllers need not be named.
func (c *conversion) managed(spec *fields, own ...string) {
	if by := spec.text("managedBy"); !slices.Contains(own, by) {
		c.managedBy = by
	}
}

func (c *conversion) timeToLive(spec *fields) {
	if seconds, ok := spec.number("ttlSecondsAfterFinished"); ok {
		c.ttl = &seconds
	}
}

// jobRole is what a Job becomes.
type jobRole struct {
	*role
	// succeedsAt is how many Tasks have to succeed; all by default.
	succeedsAt int64
	// failed has the codes with which the Job fails at once, by its podFailurePolicy.
	failed []int64
	// runsNone is whether no Pod runs until somebody raises parallelism.
	runsNone bool
}

// jobScheduling takes what a scheduler is told of the Pods together.
func (c *conversion) jobScheduling(spec *fields) {
	scheduling := spec.object("scheduling")
	policy := scheduling.object("schedulingPolicy")
	policy.object("basic")
	if policy.has("gang") {
		c.gang = &gang{}
		if least, ok := policy.object("gang").positive("minCount"); ok {
			c.gang.minTasks = &least
		}
	}
	policy.skip("gang")
	for _, topology := range scheduling.object("schedulingConstraints").objects("topology") {
		key := topology.text("key")
		if key == "" {
			topology.wrong(topology.at("key"), "is missing")
		}
		c.topology = append(c.topology, map[string]any{"key": key, "mode": "Required"})
	}
	scheduling.lose("disruptionMode", "which Pods are preempted together is for the scheduler to know; restart: Role has them start again together")
	scheduling.lose("resourceClaims", "a group has no claims; those of each Pod are in its template")
}

// jobOf converts the spec of a Job.
func (c *conversion) jobOf(spec *fields) *jobRole {
	j := &jobRole{role: newRole(spec.path, "", 0, spec.template("template"))}
	j.tasks, j.runsNone = jobTasks(spec)
	j.succeedsAt = j.tasks
	c.jobRetries(spec, j)
	c.jobSuccess(spec, j)
	switch policy := j.pod.specText("restartPolicy"); policy {
	case "Never":
	case "OnFailure":
		spec.note("template.spec.restartPolicy", "OnFailure restarts a container within its Pod; here each retry is a new Pod, whose emptyDir volumes are empty")
		j.pod.neverRestarts()
	case "":
		j.pod.neverRestarts() // required of Jobs in any case
	default:
		spec.wrong(j.pod.path+".spec.restartPolicy", "%s is for no Job", policy)
	}
	spec.lose("activeDeadlineSeconds", "a Framework has no time limit; activeDeadlineSeconds in the Pod template is one for each Pod")
	if spec.oneOf("podReplacementPolicy", "Failed", "TerminatingOrFailed") == "TerminatingOrFailed" {
		spec.note("podReplacementPolicy", "the next Pod of a Task is created when the last one is gone; task.podGracefulDeletionTimeoutSec says how long that may take")
	}
	dropSelector(spec, j.pod)
	return j
}

// jobTasks is how many Pods have to succeed, and whether none of them is to run for now.
func jobTasks(spec *fields) (tasks int64, runsNone bool) {
	completions, counted := spec.number("completions")
	parallelism, limited := spec.number("parallelism")
	if !limited {
		parallelism = 1
	}
	switch {
	case !counted && parallelism > 1:
		spec.note("parallelism", "a Job without completions ends when one Pod has succeeded and all have ended; here it is when all %d have succeeded. With minSucceededTaskCount 1 the first success ends it, and the others are deleted", parallelism)
		return parallelism, false
	case !counted:
		return 1, parallelism == 0
	case parallelism < completions && parallelism > 0:
		spec.note("parallelism", "%d of %d Pods run at a time; here all Tasks start at once. A ResourceQuota, or the queue of a scheduler, has them wait", parallelism, completions)
	}
	return completions, parallelism == 0 && completions > 0
}

// jobRetries takes how often Pods are tried again, and when that is enough.
func (c *conversion) jobRetries(spec *fields, j *jobRole) {
	j.retry.backoff, j.retry.longest = true, jobLongestDelay
	perIndex, isPerIndex := spec.number("backoffLimitPerIndex")
	limit, isLimited := spec.number("backoffLimit")
	if !isLimited {
		limit = jobBackoffLimit
	}
	switch {
	case isPerIndex:
		j.retry.max = perIndex
		if isLimited {
			spec.note("backoffLimit", "counts the failures of all Pods together; here it is backoffLimitPerIndex alone that counts, as maxRetryCount of each Task")
		}
		c.failedIndexes(spec, j)
	default:
		j.retry.max = limit
		spec.lose("maxFailedIndexes", "counts only with backoffLimitPerIndex")
		if limit > 0 && j.tasks > 1 {
			spec.note("backoffLimit", "%d%s is of all Pods together; here each Task is tried again so often, as maxRetryCount says", limit, byDefault(isLimited))
		}
	}
	c.podFailures(spec, j, isPerIndex)
}

func byDefault(isThere bool) string {
	if isThere {
		return ""
	}
	return ", the default,"
}

// failedIndexes has others go on when a Task has failed for good.
func (c *conversion) failedIndexes(spec *fields, j *jobRole) {
	j.minFailed = -1
	path := "backoffLimitPerIndex"
	if most, ok := spec.number("maxFailedIndexes"); ok {
		path = "maxFailedIndexes"
		j.minFailed = most + 1
	}
	if j.minFailed != 1 && j.tasks > 0 {
		spec.note(path, "a Job with failed indexes fails when all have ended; here it succeeds then, if minFailedTaskCount is not reached. status.tasks.failed says how many have failed")
	}
}

// jobSuccess takes when not all Pods have to succeed.
func (c *conversion) jobSuccess(spec *fields, j *jobRole) {
	rules := spec.object("successPolicy").objects("rules")
	for _, rule := range rules {
		indexes := rule.text("succeededIndexes")
		count, counted := rule.number("succeededCount")
		switch {
		case indexes != "" && !coversAll(indexes, j.tasks):
			rule.note("succeededIndexes", "which Tasks have succeeded does not matter here, only how many of a role: put those that decide into a role of their own, with minSucceededTaskCount, or use the plugin completion-leader")
		case counted:
			j.succeedsAt = min(j.succeedsAt, count)
		}
	}
}

// coversAll reports whether indexes, such as 0,2-4, are all of so many.
func coversAll(indexes string, all int64) bool {
	next := int64(0)
	for part := range strings.SplitSeq(indexes, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := strconv.ParseInt(low, 10, 64)
		to, err2 := strconv.ParseInt(high, 10, 64)
		if err != nil || err2 != nil || from > next {
			return false
		}
		next = max(next, to+1)
	}
	return next >= all
}

// index tells Pods their index as an Indexed Job does.
func (j *jobRole) index(index string) {
	setEnv(j.pod.allContainers(), variable{completionIndex, index})
	j.gives(asBoth, indexAnnotation, index)
}

// dropSelector takes what the API server puts into Jobs that are stored.
func dropSelector(spec *fields, pod *template) {
	spec.skip("manualSelector")
	selector := spec.object("selector")
	matched := selector.object("matchLabels")
	for _, label := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
		matched.skip(label)
		if labels, ok := under(pod.of, "metadata")["labels"].(map[string]any); ok {
			delete(labels, label)
		}
	}
	if metadata, ok := pod.of["metadata"].(map[string]any); ok && len(metadata) == 0 {
		delete(pod.of, "metadata")
	}
	for _, label := range matched.keys() {
		if matched.taken[label] {
			continue
		}
		matched.lose(label, "Pods are found by their owner and the labels FC_FRAMEWORK_NAME and FC_TASKROLE_NAME")
	}
	selector.lose("matchExpressions", "Pods are found by their owner and the labels FC_FRAMEWORK_NAME and FC_TASKROLE_NAME")
}
