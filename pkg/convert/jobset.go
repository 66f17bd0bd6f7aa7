package convert

import (
	"slices"
	"strings"
)

const jobSetPrefix = "jobset.sigs.k8s.io/"

// taskDeadlineExceeded is the code of an attempt of a Task that has run for its activeDeadlineSeconds.
const taskDeadlineExceeded = -141

// replicated is a replicatedJob with its roles.
type replicated struct {
	*fields
	name     string
	jobs     int64 // number of Jobs
	group    string
	roles    []*jobRole
	perRole  int64   // number of Pods of each Job
	together bool    // all Jobs are Tasks of one role
	spec     *fields // spec of the Jobs
	deadline *int64  // maximum seconds that each Job may run
}

// jobSet converts a JobSet.
func (c *conversion) jobSet(spec *fields) {
	c.suspends(spec)
	c.managed(spec, "jobset.sigs.k8s.io/jobset-controller")
	c.timeToLive(spec)
	named := c.jobSetNetwork(spec.object("network"))
	var all []*replicated
	for _, of := range spec.objects("replicatedJobs") {
		all = append(all, c.replicatedJob(of, named))
	}
	if len(all) == 0 {
		spec.wrong(spec.at("replicatedJobs"), "must have at least one Job")
	}
	c.jobSetOrder(spec, all)
	c.jobSetSuccess(spec.object("successPolicy"), all)
	c.jobSetRestarts(spec.object("failurePolicy"), all)
	c.jobSetTimeLimits(all)
	c.coordinator(spec, all)
	c.jobSetWords(all)
	c.jobSetVolumes(spec.objects("volumeClaimPolicies"))
}

// jobSetNetwork takes the names of Pods in DNS, which exist unless the JobSet disables them.
func (c *conversion) jobSetNetwork(network *fields) (named bool) {
	c.network = network.yesOr("enableDNSHostnames", true)
	c.publishesNotReady = network.yesOr("publishNotReadyAddresses", true) && c.network
	if domain := network.text("subdomain"); domain != "" && domain != c.ownName() {
		network.note("subdomain", "the Service has the name of the Framework, so the names of Pods in DNS are {host}.%s instead of {host}.%s", c.ownName(), domain)
	}
	return c.network
}

// replicatedJob converts a replicatedJob: to one role if each Job has one Pod or there is one Job, else to a role for each
// Job, as a Task has only one index.
func (c *conversion) replicatedJob(of *fields, named bool) *replicated {
	r := &replicated{fields: of, name: of.text("name"), jobs: of.numberOr("replicas", 1)}
	template := of.object("template")
	metadata := template.object("metadata")
	for _, kind := range []string{"labels", "annotations"} {
		words := metadata.object(kind)
		for _, key := range words.keys() {
			words.lose(key, "a Framework has no Jobs: if another program reads this key, move it to the metadata of the Pod template")
		}
	}
	metadata.skip("creationTimestamp", "name", "namespace")
	if r.group = of.text("groupName"); r.group == "" {
		r.group = "default"
	}
	if r.group != "default" {
		of.note("groupName", "a Framework has no groups of roles; use labels in the Pod template to distinguish them")
	}
	spec := template.object("spec")
	indexed := spec.oneOf("completionMode", "Indexed", "NonIndexed") == "Indexed"
	spec.skip("suspend") // the JobSet decides
	spec.lose("scheduling", "a gang covers the whole Framework: use scheduling of the Framework")
	for _, key := range []string{"ttlSecondsAfterFinished", "managedBy"} {
		spec.lose(key, "a Framework has no Jobs; %s of the Framework covers all Pods", key)
	}
	r.spec, r.deadline = spec, deadlineOf(spec)
	one := c.jobOf(spec)
	if one.runsNone {
		spec.note("parallelism", "parallelism 0 pauses this Job; in a Framework only all roles together can be paused, with suspend: true%s", allAtOnce(one.tasks))
	}
	r.perRole = one.tasks
	r.together = r.jobs <= 1 || r.perRole == 1
	if r.jobs > mostRoles && !r.together {
		of.wrong(of.at("replicas"), "each of the %d Jobs would become a role; the maximum is %d", r.jobs, mostRoles)
		r.jobs = 1
	}
	if r.together {
		r.roles = []*jobRole{one}
		podIndex, jobIndex := any(taskIndex), any(0)
		if r.jobs != 1 {
			podIndex, jobIndex = 0, taskIndex
			one.tasks *= r.jobs
			one.parallelism = 0 // it limits the Pods of one Job, and all Jobs run at once
			one.succeedsAt *= r.jobs
		}
		c.jobSetRole(r, one, r.name, jobIndex, podIndex, indexed, named)
		c.tellRename(one.role, of, r.name)
		return r
	}
	for i := range r.jobs {
		copied := *one.role
		copied.pod = one.pod.copy()
		each := &jobRole{role: &copied, succeedsAt: one.succeedsAt, failed: one.failed}
		r.roles = append(r.roles, each)
		c.jobSetRole(r, each, stableName(r.name, i), i, taskIndex, indexed, named)
	}
	first, last := r.roles[0].name, r.roles[len(r.roles)-1].name
	of.note("replicas", "each of the %d Jobs of %d Pods becomes a role, %s to %s, because a Task has only one index", r.jobs, r.perRole, first, last)
	return r
}

// jobSetRole adds a role, whose Pods have the hostnames of the JobSet's Pods.
func (c *conversion) jobSetRole(r *replicated, j *jobRole, called string, jobIndex, podIndex any, indexed, named bool) {
	c.add(j.role, called)
	if indexed {
		j.index(stableName(podIndex))
	}
	if named && r.name != "" {
		j.setHostname(c.sourceName(), r.name, jobIndex, podIndex)
	}
	job := stableName(c.sourceName(), r.name, jobIndex)
	j.gives(asLabel, jobName, job, jobNameLabel, job)
	j.gives(asBoth, jobSetPrefix+"jobset-name", c.sourceName(), jobSetPrefix+"replicatedjob-name", r.name, jobSetPrefix+"job-index", stableName(jobIndex),
		jobSetPrefix+"replicatedjob-replicas", stableName(r.jobs), jobSetPrefix+"group-name", r.group)
}

// jobSetWords sets values that depend on all Jobs. The global index of a role's Job is known if the role has one Job, or is
// the first.
func (c *conversion) jobSetWords(all []*replicated) {
	total := int64(0)
	for _, r := range all {
		for i, j := range r.roles {
			switch {
			case !r.together || r.jobs == 1:
				j.gives(asBoth, jobSetPrefix+"job-global-index", stableName(total+int64(i)))
			case total == 0:
				j.gives(asBoth, jobSetPrefix+"job-global-index", taskIndex)
			}
		}
		total += r.jobs
	}
	for _, role := range c.roles {
		role.gives(asBoth, jobSetPrefix+"global-replicas", stableName(total))
	}
}

// coordinator passes all Pods the name of one of them.
func (c *conversion) coordinator(spec *fields, all []*replicated) {
	if !spec.has("coordinator") {
		spec.skip("coordinator")
		return
	}
	of := spec.object("coordinator")
	name, job, pod := of.text("replicatedJob"), of.numberOr("jobIndex", 0), of.numberOr("podIndex", 0)
	for _, r := range all {
		if r.name != name {
			continue
		}
		host := stableName(c.sourceName(), name, job, pod) + "." + c.ownName()
		for _, role := range c.roles {
			role.pod.word("annotations", jobSetPrefix+"coordinator", host)
		}
	}
}

// jobSetOrder takes the start order of Jobs.
func (c *conversion) jobSetOrder(spec *fields, all []*replicated) {
	inOrder := spec.object("startupPolicy").oneOf("startupPolicyOrder", "AnyOrder", "InOrder") == "InOrder"
	for i, r := range all {
		for _, on := range r.objects("dependsOn") {
			name, when := on.text("name"), whenReady
			if on.oneOf("status", "Ready", "Complete") == "Complete" {
				when = whenSucceeded
			}
			earlier := slices.IndexFunc(all, func(o *replicated) bool { return o.name == name })
			if earlier < 0 {
				on.wrong(on.at("name"), "there is no replicatedJob %q", name)
				continue
			}
			r.startAfter(all[earlier], when)
		}
		if inOrder && i > 0 {
			r.startAfter(all[i-1], whenReady)
		}
	}
}

func (r *replicated) startAfter(earlier *replicated, when string) {
	for _, later := range r.roles {
		for _, role := range earlier.roles {
			later.startsAfter(role.role, when)
		}
	}
}

// jobSetSuccess takes the Jobs that have to succeed.
func (c *conversion) jobSetSuccess(policy *fields, all []*replicated) {
	operator, names := policy.oneOf("operator", "All", "Any"), policy.texts("targetReplicatedJobs")
	var targets []*replicated
	for _, r := range all {
		if len(names) == 0 || slices.Contains(names, r.name) {
			targets = append(targets, r)
		}
	}
	if operator == "Any" {
		for _, r := range targets {
			for _, j := range r.roles {
				j.minSucceeded = j.succeedsAt / max(1, r.jobsOfRole())
			}
		}
		return
	}
	if len(targets) == 1 && len(targets[0].roles) == 1 && (len(all) > 1 || targets[0].roles[0].succeedsAt < targets[0].roles[0].tasks) {
		j := targets[0].roles[0]
		j.minSucceeded = j.succeedsAt
		return
	}
	for _, r := range all {
		if r.roles != nil && r.roles[0].succeedsAt < r.roles[0].tasks {
			r.note("template.spec.successPolicy", "dropped, because a role that succeeds by minSucceededTaskCount ends the whole Framework: all Tasks of the role have to succeed")
		}
	}
	if len(targets) < len(all) {
		policy.note("targetReplicatedJobs", "minSucceededTaskCount of one role decides on the success of a Framework, not several roles together: all Tasks of all roles have to succeed. A CompletionPolicy plugin can decide differently")
	}
}

// jobsOfRole returns the number of Jobs in each of its roles.
func (r *replicated) jobsOfRole() int64 {
	if r.together {
		return r.jobs
	}
	return 1
}

// jobSetRestarts takes how often all Jobs restart when one has failed.
func (c *conversion) jobSetRestarts(policy *fields, all []*replicated) {
	c.retry.max = policy.numberOr("maxRestarts", 0)
	if policy.oneOf("restartStrategy", "Recreate", "BlockingRecreate", "InPlaceRestart") == "InPlaceRestart" {
		policy.note("restartStrategy", "a retry of a Framework creates new Pods, as BlockingRecreate does")
	}
	codes := map[int64]bool{}
	for _, r := range all {
		for _, j := range r.roles {
			for _, code := range j.failed {
				codes[code] = true
			}
		}
	}
	more := true
	rules := policy.objects("rules")
	for i, rule := range rules {
		asDefault := i == len(rules)-1 && rule.text("action") == "RestartJobSet" // a failure without a rule does the same
		if !more || asDefault {                                                  // or the previous rule matches every failure
			rule.skip(rule.keys()...)
			continue
		}
		rule.skip("name")
		more = c.jobSetRule(rule, all, codes)
	}
}

// jobSetTimeLimits limits the running time of a Framework that is one Job and never restarts, and otherwise of the attempts of Tasks. A
// Job fails at its deadline, so these attempts are not retried.
func (c *conversion) jobSetTimeLimits(all []*replicated) {
	for _, r := range all {
		switch {
		case r.deadline == nil:
		case len(all) == 1 && r.jobs == 1 && c.retry.max == 0 && len(c.retry.budgets) == 0:
			c.timeLimit(r.spec)
		default:
			r.spec.note("activeDeadlineSeconds", "limits each attempt of a Task, from the start of its Pod, in place of each Job with all its Pods and their retries")
			for _, j := range r.roles {
				j.deadline = r.deadline
				j.retry.add(taskDeadlineExceeded, 0)
			}
		}
	}
}

// jobSetRule takes a rule, and reports whether there are failures that it does not match.
func (c *conversion) jobSetRule(rule *fields, all []*replicated, codes map[int64]bool) (more bool) {
	action, reasons := rule.text("action"), rule.texts("onJobFailureReasons")
	patterns, names := rule.texts("onJobFailureMessagePatterns"), rule.texts("targetReplicatedJobs")
	var retries int64
	switch action {
	case "FailJobSet":
	case "RestartJobSet":
		retries = c.retry.max
	case "RestartJobSetAndIgnoreMaxRestarts":
		retries = unlimited
	case "RestartJob", "RestartJobAndIgnoreMaxRestarts":
		rule.note("action", "%s restarts one Job; the closest equivalent is restart: Role in the retryPolicy of the Tasks of its role", action)
		return true
	default:
		rule.wrong(rule.at("action"), "%q is not an action of a rule", action)
		return true
	}
	everyJob := !slices.ContainsFunc(all, func(r *replicated) bool { return len(names) > 0 && !slices.Contains(names, r.name) })
	switch {
	case !everyJob:
		rule.note("targetReplicatedJobs", "the retryPolicy of a Framework applies to all roles; let the containers of these Jobs end with exit codes of their own, and add budgets for these codes")
	case len(patterns) > 0:
		rule.note("onJobFailureMessagePatterns", "budgets apply to codes, not to messages; a rule with a messageRegex in podFailureSpec of the controller's configuration can assign a code to a message")
	case len(reasons) == 0:
		c.retry.max = retries
		return false
	case slices.Equal(reasons, []string{"PodFailurePolicy"}) && len(codes) > 0:
		for _, code := range sortedCodes(codes) {
			c.retry.add(code, retries)
		}
	default:
		rule.note("onJobFailureReasons", "%s: budgets apply to the codes of Tasks, not to the reasons why a Job has failed", strings.Join(reasons, ", "))
	}
	return true
}

func sortedCodes(codes map[int64]bool) (all []int64) {
	for code := range codes {
		all = append(all, code)
	}
	slices.SortFunc(all, func(a, b int64) int { return int(b - a) })
	return all
}
