package convert

import (
	"slices"
	"strings"
)

// volcanoMaxRetry is the default of Volcano's maxRetry.
const volcanoMaxRetry = 3

// externallyDeleted is the code of a Pod that somebody else has deleted, which Volcano calls evicted.
const externallyDeleted = -101

// reaction is the action after an event of a Pod. An empty one is Volcano's behaviour without a policy.
type reaction string

const (
	restartJob  reaction = "RestartJob"
	restartTask reaction = "RestartTask"
	restartPod  reaction = "RestartPod"
	abortJob    reaction = "AbortJob"
	endJob      reaction = "TerminateJob"
	completeJob reaction = "CompleteJob"
)

// endsJob reports whether the reaction ends the attempt.
func (r reaction) endsJob() bool { return r == restartJob || r == abortJob || r == endJob }

// triesAgain reports whether the reaction retries Tasks within the attempt.
func (r reaction) triesAgain() bool { return r == restartTask || r == restartPod }

// reactions are the reactions to events of the Pods of a task.
type reactions struct {
	failed, evicted, succeeded reaction
	codes                      []codeReaction
}

// codeReaction is the reaction to an exit code.
type codeReaction struct {
	code int64
	does reaction
}

// set sets a reaction, unless an earlier policy has one: the first counts, and policies of a task come before the Job's.
func (r *reaction) set(to reaction) {
	if *r == "" {
		*r = to
	}
}

// of returns the reaction to an exit code.
func (r *reactions) of(code int64) reaction {
	for _, c := range r.codes {
		if c.code == code {
			return c.does
		}
	}
	return r.failed
}

// restartsJob reports whether any event of a Pod restarts the Job.
func (r *reactions) restartsJob() bool {
	return r.failed == restartJob || r.evicted == restartJob ||
		slices.ContainsFunc(r.codes, func(on codeReaction) bool { return on.does == restartJob })
}

// volcanoPolicies takes the reactions to failures: retries of Tasks and of the Framework, and the end of the attempt.
func (c *conversion) volcanoPolicies(spec *fields, tasks []*volcanoTask) {
	of := map[*volcanoTask]*reactions{}
	for _, t := range tasks {
		of[t] = &reactions{}
		for _, policy := range t.objects("policies") {
			takePolicy(policy, of[t])
		}
	}
	for _, policy := range spec.objects("policies") {
		shared := &reactions{}
		takePolicy(policy, shared)
		for _, t := range tasks {
			of[t].after(shared)
		}
	}
	tries := spec.numberOr("maxRetry", volcanoMaxRetry)
	if tries == 0 {
		tries = volcanoMaxRetry
	}
	retries := max(0, tries-1)
	within := false
	for _, t := range tasks {
		within = c.taskRetries(t, of[t], retries) || within
	}
	if spec.has("maxRetry") && !within && !slices.ContainsFunc(tasks, func(t *volcanoTask) bool { return of[t].restartsJob() }) {
		spec.note("maxRetry", "dropped, because no policy restarts anything")
	}
	if within && c.tasks() > 1 {
		spec.note("maxRetry", "the limit of %d restarts covers all Pods and tasks together; the Framework allows each Task this number of retries, by maxRetryCount", retries)
	}
	c.jobRetriesOf(spec, tasks, of, retries)
	c.volcanoEnd(spec, tasks, of)
}

// after appends the reactions of the Job to a task's.
func (r *reactions) after(job *reactions) {
	r.failed.set(job.failed)
	r.evicted.set(job.evicted)
	r.succeeded.set(job.succeeded)
	r.codes = append(r.codes, job.codes...)
}

// takePolicy adds the reactions of a policy.
func takePolicy(policy *fields, to *reactions) {
	action := reaction(policy.text("action"))
	events := policy.texts("events")
	if event := policy.text("event"); event != "" {
		events = append(events, event)
	}
	code, isCode := policy.number("exitCode")
	if policy.has("timeout") {
		policy.lose("timeout", "a Framework reacts to failures immediately; backoff of a retryPolicy delays retries, and startDeadline ends Pods that never run")
	}
	if !slices.Contains([]reaction{restartJob, restartTask, restartPod, abortJob, endJob, completeJob}, action) {
		policy.note("action", "%s has no equivalent; the policy is dropped", action)
		return
	}
	if action == abortJob {
		policy.note("action", "AbortJob: the Framework fails and cannot be resumed; to pause and resume a Framework, use spec.suspend")
	}
	if isCode {
		if action == completeJob {
			policy.note("exitCode", "a failure cannot complete a Framework successfully: let the container end with 0, and set minSucceededTaskCount")
			return
		}
		to.codes = append(to.codes, codeReaction{code, action})
	}
	for _, event := range events {
		takeEvent(policy, event, action, to)
	}
}

func takeEvent(policy *fields, event string, action reaction, to *reactions) {
	completes := action == completeJob
	switch event {
	case "TaskCompleted":
		if !completes {
			policy.note("action", "%s on TaskCompleted has no equivalent; only CompleteJob has, minSucceededTaskCount", action)
			return
		}
		to.succeeded.set(action)
	case "PodFailed", "PodEvicted", "*":
		if completes {
			policy.note("action", "a failure cannot complete a Framework successfully; minFailedTaskCount -1 ignores failures of a role")
			return
		}
		if event != "PodEvicted" {
			to.failed.set(action)
		}
		if event != "PodFailed" {
			to.evicted.set(action)
		}
		if event == "*" {
			policy.note("event", "* covers PodFailed and PodEvicted only, because a Framework reacts to no other event")
		}
	case "PodPending":
		policy.note(eventKey(policy), "PodPending: use task.startDeadline, which limits how long a Pod may wait to run; after that, its attempt has failed")
	default:
		policy.note(eventKey(policy), "%s has no equivalent: the controller creates missing Pods by itself", event)
	}
}

func eventKey(policy *fields) string {
	if policy.has("event") {
		return "event"
	}
	return "events"
}

// taskRetries sets the retries of Tasks, and reports whether they are retried within an attempt.
func (c *conversion) taskRetries(t *volcanoTask, r *reactions, retries int64) (retried bool) {
	t.lose("maxRetry", "dropped, because it limits restarts of containers within their Pods, for the event TaskFailed; in a Framework, restarts by the kubelet have no limit")
	scope := func(does reaction) int64 {
		if !does.triesAgain() {
			return 0
		}
		retried = true
		if does == restartTask {
			t.retry.restart = "Role"
		}
		return retries
	}
	t.retry.max = scope(r.failed)
	for _, on := range r.codes {
		if most := scope(on.does); most != t.retry.max || on.does != r.failed {
			for _, code := range append([]int64{on.code}, startCodes[on.code]...) {
				t.retry.add(code, most)
			}
		}
	}
	switch {
	case r.evicted == "":
		t.retry.add(externallyDeleted, unlimited) // Volcano recreates such a Pod, and does not count it
	default:
		if most := scope(r.evicted); most != t.retry.max {
			t.retry.add(externallyDeleted, most)
		}
	}
	if t.retry.restart == "Role" && (r.failed == restartPod || r.evicted == restartPod) {
		t.note("policies", "a role cannot have both RestartPod and RestartTask: with restart: Role, all Tasks of the role start again each time")
	}
	return retried
}

// jobRetriesOf sets the retries of the Framework, whose policy is the same for all roles.
func (c *conversion) jobRetriesOf(spec *fields, tasks []*volcanoTask, of map[*volcanoTask]*reactions, retries int64) {
	restarts := func(does reaction) int64 {
		if does == restartJob {
			return retries
		}
		return 0
	}
	var differ []string
	for i, t := range tasks {
		r := of[t]
		if i == 0 {
			c.retry.max = restarts(r.failed)
		} else if restarts(r.failed) != c.retry.max {
			c.retry.max = retries
			differ = append(differ, t.called)
		}
	}
	for _, t := range tasks {
		r := of[t]
		for _, on := range r.codes {
			if n := restarts(r.of(on.code)); n != c.retry.max && on.does.endsJob() {
				for _, code := range append([]int64{on.code}, startCodes[on.code]...) {
					c.retry.add(code, n)
				}
			}
		}
		if n := restarts(r.evicted); r.evicted.endsJob() && n != c.retry.max {
			c.retry.add(externallyDeleted, n)
		}
	}
	if len(differ) > 0 {
		spec.note("tasks", "%s and the other tasks have different policies for restarts of the Job; the retryPolicy of the Framework covers all roles, and retries", strings.Join(differ, ", "))
	}
}

// volcanoPreemption reports the first task whose Pods Volcano may preempt one by one while the rest of the gang keeps its
// places and waits. The warning of hints-volcano considers retry policies, but no budgets.
func (c *conversion) volcanoPreemption(tasks []*volcanoTask, scheduler string) {
	if c.gang == nil || c.tasks() < 2 || scheduler != "" && scheduler != volcanoScheduler {
		return
	}
	for _, t := range tasks {
		endsAttempt := t.retry.max == 0 && t.minFailed == 1 // as the plugin sees it
		together := t.retry.restart == "Role" && t.tasks == c.tasks()
		if t.tasks > 0 && endsAttempt && t.retry.of(externallyDeleted) != 0 && !together {
			t.note("policies", "Volcano preempts single Pods: as in Volcano, a preempted Pod of role %s is retried while the rest of the gang keeps its places and waits. "+
				"With restart: Framework in the retryPolicy of its Tasks, all start again together. hints-volcano does not warn about this, because it does not see budgets", t.name)
			return
		}
	}
}

// volcanoEnd sets when the attempt ends.
func (c *conversion) volcanoEnd(spec *fields, tasks []*volcanoTask, of map[*volcanoTask]*reactions) {
	least, counts := spec.positive("minSuccess")
	for _, t := range tasks {
		r := of[t]
		if r.succeeded == completeJob {
			t.minSucceeded = t.tasks
		}
		if r.failed == "" {
			t.minFailed = c.tolerated(spec, t, tasks) + 1
		}
		if t.minFailed > t.tasks {
			t.minFailed = -1
		}
		if t.minFailed != 1 && (r.evicted.endsJob() || slices.ContainsFunc(r.codes, func(on codeReaction) bool { return on.does.endsJob() })) {
			t.note("policies", "a failure of any kind ends the attempt only when minFailedTaskCount is reached")
		}
	}
	switch {
	case !counts:
		c.mixedTolerance(spec, tasks, of)
	case len(tasks) == 1:
		t := tasks[0]
		t.minSucceeded = least
		if of[t].failed == "" {
			t.minFailed = max(1, t.tasks-least+1)
		}
	default:
		spec.note("minSuccess", "counts the Pods of all tasks together, but minSucceededTaskCount counts the Tasks of one role: all Tasks have to succeed")
	}
}

// tolerated returns how many Tasks of a task may fail while the Job still succeeds: the number above its own minAvailable, if
// the Job's minAvailable is at least the sum over all tasks, but no more than the number above the Job's minAvailable.
func (c *conversion) tolerated(spec *fields, t *volcanoTask, tasks []*volcanoTask) int64 {
	least, sum := leastOf(spec, tasks)
	spared := min(t.tasks, max(0, c.tasks()-least))
	if least >= sum {
		return min(spared, t.tasks-t.available())
	}
	return spared
}

// available returns the minimum number of Pods of a task.
func (t *volcanoTask) available() int64 {
	if t.least == nil {
		return t.tasks
	}
	return min(*t.least, t.tasks)
}

// mixedTolerance reports that failures are counted by role.
func (c *conversion) mixedTolerance(spec *fields, tasks []*volcanoTask, of map[*volcanoTask]*reactions) {
	least, sum := leastOf(spec, tasks)
	if least == sum || least >= c.tasks() || len(tasks) < 2 {
		return
	}
	if slices.ContainsFunc(tasks, func(t *volcanoTask) bool { return of[t].failed == "" }) {
		spec.note("minAvailable", "counts the Pods of all tasks together that have to succeed; minFailedTaskCount counts the failures of each role separately")
	}
}
