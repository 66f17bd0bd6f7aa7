package convert

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Defaults of batch/v1 Jobs.
const (
	jobBackoffLimit = 6   // retries of all Pods together
	jobLongestDelay = 360 // the longest pause between two retries, in seconds
	jobName         = "job-name"
	jobNameLabel    = "batch.kubernetes.io/job-name"
	completionIndex = "JOB_COMPLETION_INDEX"
	indexAnnotation = "batch.kubernetes.io/job-completion-index"
	taskIndex       = "{{FC_TASK_INDEX}}"
)

// job converts a Job of batch/v1: its Pods become the Tasks of one role.
func (c *conversion) job(spec *fields) {
	indexed := spec.oneOf("completionMode", "NonIndexed", "Indexed") == "Indexed"
	c.suspends(spec)
	c.managed(spec, "kubernetes.io/job-controller")
	c.timeToLive(spec)
	c.timeLimit(spec)
	c.jobScheduling(spec)
	j := c.jobOf(spec)
	c.add(j.role, "worker")
	if j.runsNone {
		c.paused = true
		spec.note("parallelism", "parallelism 0 pauses the Job; the Framework has suspend: true and taskNumber %d instead%s", j.tasks, allAtOnce(j.tasks))
	}
	if j.tasks == 0 {
		spec.note("completions", "a Job with 0 completions completes immediately, but a Framework without Tasks runs until it is stopped: do not create it")
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
		// The Service of that name finds the Pods as it found the Job's.
		j.pod.word("labels", jobName, name)
		j.pod.word("labels", jobNameLabel, name)
	}
}

// suspends takes the field suspend.
func (c *conversion) suspends(of *fields) {
	c.suspend, c.suspendPath = of.yes("suspend"), of.at("suspend")
}

// managed takes the field for the managing controller; its own controllers need no report.
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

// timeLimit takes how long the object may run.
func (c *conversion) timeLimit(spec *fields) {
	if c.deadline = deadlineOf(spec); c.deadline != nil {
		spec.note("activeDeadlineSeconds", "the same field of the Framework counts from its first running Pod; a %s also counts the time before. startDeadline of the Tasks limits that time", c.kind)
	}
}

// deadlineOf returns the seconds that an object may run; nil if there is no limit.
func deadlineOf(spec *fields) *int64 {
	const key = "activeDeadlineSeconds"
	value := spec.take(key)
	if value == nil {
		return nil
	}
	seconds, ok := asNumber(spec.notes, spec.at(key), value)
	if ok && seconds < 0 {
		spec.wrong(spec.at(key), "must not be negative, but is %d", seconds)
	}
	within := min(max(seconds, 1), math.MaxInt32)
	if ok && seconds >= 0 && within != seconds {
		spec.note(key, "%d is not possible; the Framework has %d", seconds, within)
	}
	return &within
}

// jobRole is the result for a Job.
type jobRole struct {
	*role
	// succeedsAt is the number of Tasks that have to succeed; all by default.
	succeedsAt int64
	// failed has the exit codes that fail the Job at once, from its podFailurePolicy.
	failed []int64
	// runsNone reports whether no Pod runs until parallelism is raised.
	runsNone bool
}

// jobScheduling takes the fields for placing the Pods together.
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
	scheduling.lose("disruptionMode", "the scheduler decides which Pods are preempted together; with restart: Role in retryPolicy, they start again together")
	scheduling.lose("resourceClaims", "the Pods of a Framework share no claims; use resourceClaims in the Pod template, for each Pod")
}

// jobOf converts the spec of a Job.
func (c *conversion) jobOf(spec *fields) *jobRole {
	j := &jobRole{role: newRole(spec.path, "", 0, spec.template("template"))}
	jobTasks(spec, j)
	j.succeedsAt = j.tasks
	c.jobRetries(spec, j)
	c.jobSuccess(spec, j)
	switch policy := j.pod.specText("restartPolicy"); policy {
	case "Never":
	case "OnFailure":
		spec.note("template.spec.restartPolicy", "OnFailure restarts a container within its Pod; each retry of a Task is a new Pod with empty emptyDir volumes")
		j.pod.neverRestarts()
	case "":
		j.pod.neverRestarts() // required of Jobs in any case
	default:
		spec.wrong(j.pod.path+".spec.restartPolicy", "%s is not allowed for a Job", policy)
	}
	if spec.oneOf("podReplacementPolicy", "Failed", "TerminatingOrFailed") == "TerminatingOrFailed" {
		spec.note("podReplacementPolicy", "the next Pod of a Task is created when the last one is gone; task.podGracefulDeletionTimeoutSec limits how long that takes")
	}
	dropSelector(spec, j.pod)
	return j
}

// jobTasks takes the number of Pods that have to succeed, the number that may run at once, and whether none should run for now.
func jobTasks(spec *fields, j *jobRole) {
	completions, counted := spec.number("completions")
	parallelism, limited := spec.number("parallelism")
	if !limited {
		parallelism = 1 // the default, even with many completions
	}
	switch {
	case counted:
		j.tasks, j.parallelism, j.runsNone = completions, parallelism, parallelism == 0 && completions > 0
	case parallelism > 1:
		spec.note("parallelism", "a Job without completions ends when one Pod has succeeded and all have ended; the Framework ends when all %d Tasks have succeeded. With minSucceededTaskCount 1, the first success ends it, and the other Pods are deleted", parallelism)
		j.tasks = parallelism
	default:
		j.tasks, j.runsNone = 1, parallelism == 0
	}
}

// allAtOnce warns that a paused Job does not limit how many of its Pods may run at once.
func allAtOnce(tasks int64) string {
	if tasks < 2 {
		return ""
	}
	return ". When it is resumed, all Tasks run at once, unless you set parallelism of the role"
}

// jobRetries takes the retries of Pods, and their limits.
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
			spec.note("backoffLimit", "the limit for all Pods together is dropped; only backoffLimitPerIndex counts, as maxRetryCount of each Task")
		}
		c.failedIndexes(spec, j)
	default:
		j.retry.max = limit
		spec.lose("maxFailedIndexes", "dropped, because it has no effect without backoffLimitPerIndex")
		if limit > 0 && j.tasks > 1 {
			spec.note("backoffLimit", "%d%s limits the retries of all Pods together; the Framework allows each Task this number of retries, by maxRetryCount", limit, byDefault(isLimited))
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

// failedIndexes lets others continue when a Task has failed for good.
func (c *conversion) failedIndexes(spec *fields, j *jobRole) {
	j.minFailed = -1
	path := "backoffLimitPerIndex"
	if most, ok := spec.number("maxFailedIndexes"); ok {
		path = "maxFailedIndexes"
		j.minFailed = most + 1
	}
	if j.minFailed != 1 && j.tasks > 0 {
		spec.note(path, "a Job with failed indexes fails when all have ended; the Framework succeeds then, unless minFailedTaskCount is reached. status.tasks.failed counts the failed Tasks")
	}
}

// jobSuccess takes the rules for success before all Pods have succeeded.
func (c *conversion) jobSuccess(spec *fields, j *jobRole) {
	rules := spec.object("successPolicy").objects("rules")
	for _, rule := range rules {
		indexes := rule.text("succeededIndexes")
		count, counted := rule.number("succeededCount")
		switch {
		case indexes != "" && !coversAll(indexes, j.tasks):
			rule.note("succeededIndexes", "a Framework counts successes by role, not by index: give the deciding Tasks a role of their own, with minSucceededTaskCount, or use the plugin completion-leader")
		case counted:
			j.succeedsAt = min(j.succeedsAt, count)
		}
	}
}

// coversAll reports whether indexes, such as 0,2-4, cover all of the given number.
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

// index passes Pods their index as an Indexed Job does.
func (j *jobRole) index(index string) {
	setEnv(j.pod.allContainers(), variable{completionIndex, index})
	j.gives(asBoth, indexAnnotation, index)
}

// dropSelector takes fields that the API server sets in stored Jobs.
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
		matched.lose(label, "the Pods of a Framework are found by their owner and the labels FC_FRAMEWORK_NAME and FC_TASKROLE_NAME")
	}
	selector.lose("matchExpressions", "the Pods of a Framework are found by their owner and the labels FC_FRAMEWORK_NAME and FC_TASKROLE_NAME")
}
