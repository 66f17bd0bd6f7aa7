package main

import (
	"fmt"
	"strings"
)

// shapes are the kinds of Frameworks. Names of Frameworks begin with the name of their shape.
var shapes = []struct {
	name string
	make func(*planner) plan
}{
	{"batch", (*planner).batch},
	{"flaky", (*planner).flaky},
	{"failing", (*planner).failing},
	{"permanent", (*planner).permanent},
	{"anyone", (*planner).anyone},
	{"leader", (*planner).leader},
	{"service", (*planner).service},
	{"rescaled", (*planner).rescaled},
	{"shrinking", (*planner).shrinking},
	{"conflict", (*planner).conflict},
	{"held", (*planner).held},
	{"stopped", (*planner).stopped},
	{"deleted", (*planner).deleted},
	{"reborn", (*planner).reborn},
	{"shortlived", (*planner).shortlived},
	{"squatted", (*planner).squattedOn},
	{"plain", (*planner).plain},
	{"suspended", (*planner).suspended},
	{"gang", (*planner).gang},
	{"late", (*planner).late},
	{"overlong", (*planner).overlong},
	{"hanging", (*planner).hanging},
	{"together", (*planner).together},
	{"budgeted", (*planner).budgeted},
	{"windowed", (*planner).windowed},
	{"ordered", (*planner).ordered},
	{"roleagain", (*planner).roleAgain},
	{"stepped", (*planner).stepped},
	{"advised", (*planner).advised},
	{"givenup", (*planner).givenUp},
	{"inturns", (*planner).inTurns},
	{"hungry", (*planner).hungry},
	{"stored", (*planner).stored},
	{"listed", (*planner).listed},
	{"following", (*planner).following},
	{"farlisted", (*planner).farListed},
}

const (
	stoppedCode   = -210
	completedCode = -220
)

// fancy is a retry policy under which interference by others is not counted.
func fancy(max int) string {
	return fmt.Sprintf("{fancyRetryPolicy: true, maxRetryCount: %d}", max)
}

// avoiding is a fancy policy that sometimes makes Pods avoid the nodes on which others have failed. There are more nodes than it may avoid.
func (p *planner) avoiding(max int) string {
	mode := []string{"", "Prefer", "Require"}[p.from(0, 2)]
	if mode == "" {
		return fancy(max)
	}
	return fmt.Sprintf("{fancyRetryPolicy: true, maxRetryCount: %d, avoidNodes: {mode: %s, forSec: %d, maxNodes: 1}}", max, mode, p.from(1, 30))
}

// role renders a role; says are the annotations of its Pods, key and value in turn (see test/cluster/stages.yaml).
func role(name string, tasks int, more, retry string, says ...string) string {
	var annotations []string
	for i := 0; i < len(says); i += 2 {
		annotations = append(annotations, fmt.Sprintf("simulate.frameworkcontroller.io/%s: %q", says[i], says[i+1]))
	}
	return fmt.Sprintf(`{name: %s, taskNumber: %d, %s task: {retryPolicy: %s, pod: {metadata: {annotations: {%s}},
  spec: {restartPolicy: Never, containers: [{name: c, image: app}]}}}}`, name, tasks, more, retry, strings.Join(annotations, ", "))
}

func framework(retry string, roles ...string) string {
	return fmt.Sprintf("{retryPolicy: %s, taskRoles: [%s]}", retry, strings.Join(roles, ", "))
}

// terminate now and then lets Pods take their time when they are deleted.
func (p *planner) terminate(says ...string) []string {
	if p.from(0, 2) == 0 {
		return append(says, "terminate-after", "1s")
	}
	return says
}

// runFor is how long Pods run.
func (p *planner) runFor() string { return fmt.Sprintf("%dms", p.from(0, 3000)) }

// batch succeeds.
func (p *planner) batch() plan {
	n := p.from(1, 6)
	return plan{
		prone: true,
		spec:  framework(fancy(3), role("a", n, "", fancy(3), p.terminate("run-for", p.runFor())...)),
		want:  end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}}}},
	}
}

// plain has no retries at all, so others leave it alone.
func (p *planner) plain() plan {
	n := p.from(1, 4)
	return plan{
		spec: framework("{}", role("a", n, "", "{}", "run-for", p.runFor())),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}}}},
	}
}

// late has a Pod that never gets to run, so others leave it alone.
func (p *planner) late() plan {
	return plan{
		spec: framework("{}", role("a", 1, "", "{maxRetryCount: 1}, startDeadline: {unscheduledSec: 600, notRunningSec: 3}", "hold", "true")),
		want: end{code: -133, roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{-133}, accountable: exactly(1)}}},
	}
}

// overlong would run forever, and ends by its deadline, despite interference by others: no attempt lasts longer than the time that is left.
func (p *planner) overlong() plan {
	n := p.from(1, 4)
	spec := framework(fancy(-1), role("a", n, "", fancy(-1), p.terminate("run-for", "1h")...))
	return plan{
		prone: true,
		spec:  fmt.Sprintf("{activeDeadlineSeconds: %d, ", p.from(1, 6)) + strings.TrimPrefix(spec, "{"),
		want:  end{code: -140, unlimited: true, roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{completedCode, -101}}}},
	}
}

// hanging has a Task whose attempts never end by themselves, so others leave it alone.
func (p *planner) hanging() plan {
	return plan{
		spec: framework("{}", role("a", 1, "", "{maxRetryCount: 1}, activeDeadlineSeconds: 2", "run-for", "1h")),
		want: end{code: -141, roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{-141}, accountable: exactly(1)}}},
	}
}

// flaky needs counted retries, unless failures caused by others have taken their place.
func (p *planner) flaky() plan {
	n := p.from(1, 4)
	return plan{
		prone: true,
		spec:  framework(fancy(3), role("a", n, "", p.avoiding(3), p.terminate("run-for", p.runFor(), "exit-codes", "1,1,0")...)),
		want:  end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 2}}}},
	}
}

// inTurns has more Tasks than may have a Pod at once, each of which fails once.
func (p *planner) inTurns() plan {
	n := p.from(2, 6)
	return plan{
		prone: true,
		spec: framework(fancy(3), role("a", n, fmt.Sprintf("parallelism: %d,", p.from(1, 3)), p.avoiding(3),
			p.terminate("run-for", fmt.Sprintf("%dms", p.from(0, 1000)), "exit-codes", "1,0")...)),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 1}}}},
	}
}

// hungry runs out of memory until it has enough, in attempts that others have not used up.
func (p *planner) hungry() plan {
	n := p.from(1, 4)
	spec := framework(fancy(3), role("a", n, "", "{fancyRetryPolicy: true, maxRetryCount: 3, onOOM: {memoryFactor: \"2\", maxMemory: 3Gi}}",
		p.terminate("run-for", p.runFor(), "reason", "OOMKilled", "exit-codes", "137,137,0")...))
	return plan{
		prone: true,
		spec:  strings.Replace(spec, "image: app", "image: app, resources: {limits: {memory: 1Gi}}", 1),
		want:  end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 2}}}},
	}
}

// stored has a claim for each Task, which is kept over its retries.
func (p *planner) stored() plan {
	n := p.from(1, 3)
	spec := framework(fancy(3), role("a", n, "", fancy(3), p.terminate("run-for", p.runFor(), "exit-codes", "1,0")...))
	return plan{
		prone: true,
		spec: fmt.Sprintf("{volumes: [{name: data, mountPath: /data, per: Task, claim: {accessModes: [ReadWriteOnce], storageClassName: %s, resources: {requests: {storage: 1Gi}}}}], ",
			volumeClass) + strings.TrimPrefix(spec, "{"),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 1}}}},
	}
}

// listed has a Task for each item, which fails once. Items are appended until a Task that keeps it going is removed with its role. If
// others leave it alone, so that it has only one attempt, an item is also changed for a while, which that attempt must not follow. It is
// changed when the attempt has begun: an attempt that began with the changed item would rightly wait for it after a failover.
func (p *planner) listed() plan {
	values := []string{`"$(x)"`, "{lr: 0.1, name: a}", "7"}[:p.from(1, 3)]
	retries := p.terminate("run-for", p.runFor(), "exit-codes", "1,0")
	keeper := role("keeper", 1, "", fancy(3))
	listed := func(values []string, roles ...string) string {
		items := fmt.Sprintf("items: {values: [%s]},", strings.Join(values, ", "))
		return framework(fancy(3), append([]string{role("a", 1, items, fancy(3), retries...)}, roles...)...)
	}
	out := plan{prone: p.from(0, 1) == 0, spec: listed(values, keeper)}
	then := func(spec string) { out.steps = append(out.steps, step{after: p.moments(), patch: specPatch(spec)}) }
	for i := range p.from(1, 3) {
		values = append(values, fmt.Sprint(i))
		then(listed(values, keeper))
	}
	if !out.prone {
		then(listed(append([]string{"edited"}, values[1:]...), keeper))
		out.steps[len(out.steps)-1].begun = true
		then(listed(values, keeper))
	}
	then(listed(values))
	out.want = end{roles: map[string]roleEnd{"a": {tasks: len(values), codes: []int32{0}, accountable: between{0, 1}}}}
	return out
}

// following has a role that starts after another Framework, which succeeds, and may not exist yet.
func (p *planner) following() plan {
	n := p.from(1, 4)
	after := fmt.Sprintf("startAfter: [{framework: %s, when: %s}],", p.previous, []string{"Succeeded", "Completed"}[p.from(0, 1)])
	return plan{
		prone: true,
		spec: framework(fancy(3), role("first", 1, "", fancy(3), "run-for", p.runFor()),
			role("then", n, after, fancy(3), p.terminate("run-for", p.runFor(), "exit-codes", "1,0")...)),
		want: end{roles: map[string]roleEnd{"first": {tasks: 1, codes: []int32{0}}, "then": {tasks: n, codes: []int32{0}, accountable: between{0, 1}}}},
	}
}

// farListed has a Task for each item of a ConfigMap, which comes late, and is wrong at first. An item is also changed for a while, as in
// listed. No item is appended: that may be seen a minute later, when all others have succeeded.
func (p *planner) farListed() plan {
	n := p.from(1, 4)
	list := func(first string) string {
		lines := first + "\n"
		for i := range n - 1 {
			lines += fmt.Sprintf("{\"lr\": 0.%d}\n\n", i)
		}
		return lines
	}
	more := fmt.Sprintf("items: {configMapKeyRef: {name: %s, key: %s}}, parallelism: %d,", listName(p.name), listKey, p.from(1, 3))
	out := plan{
		prone: p.from(0, 1) == 0,
		spec:  framework(fancy(3), role("a", 1, more, fancy(3), p.terminate("run-for", p.runFor(), "exit-codes", "1,0")...)),
		want:  end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 1}}}},
	}
	out.steps = []step{{after: p.moments(), list: list("null")}, {after: p.moments(), list: list(`"$(x)"`)}}
	if !out.prone {
		out.steps = append(out.steps, step{after: p.moments(), list: list(`"edited"`), begun: true}, step{after: p.moments(), list: list(`"$(x)"`)})
	}
	return out
}

// together has Tasks that restart with each other; the servers beside them are not affected.
func (p *planner) together() plan {
	n := p.from(1, 4)
	return plan{
		prone: true,
		spec: framework(fancy(3),
			role("a", n, "", "{fancyRetryPolicy: true, maxRetryCount: 3, restart: Role}", p.terminate("run-for", p.runFor(), "exit-codes", "1,0")...),
			role("b", p.from(0, 2), "", fancy(3), "run-for", p.runFor())),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 1}, free: n - 1}, "b": {codes: []int32{0}}}},
	}
}

// budgeted has retries for two causes, and none else; and a window that never fills.
func (p *planner) budgeted() plan {
	n := p.from(1, 4)
	retry := "{budgets: [{attribute: Transient, maxRetryCount: -1}, {code: 1, maxRetryCount: 2}], window: {failures: 100, withinSec: 3600}}"
	return plan{
		prone: true,
		spec:  framework(fancy(3), role("a", n, "", retry, p.terminate("run-for", p.runFor(), "exit-codes", "1,1,0")...)),
		want:  end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: exactly(0), free: 2}}},
	}
}

// windowed has a Task that restarts all others, until it has failed too often in too short a time.
func (p *planner) windowed() plan {
	n := p.from(1, 3)
	retry := "{fancyRetryPolicy: true, maxRetryCount: -1, restart: Framework, window: {failures: 2, withinSec: 3600}}"
	return plan{
		prone: true,
		spec: framework(fancy(0), role("a", 1, "", retry, p.terminate("run-for", p.runFor(), "exit-code", "1")...),
			role("b", n, "", fancy(0), p.terminate()...)),
		want: end{code: 1, roles: map[string]roleEnd{
			"a": {tasks: 1, codes: []int32{1}, accountable: exactly(2)},
			"b": {tasks: n, codes: []int32{completedCode, -101, -111}, free: 2},
		}},
	}
}

// roleAgain has Tasks without retries of their own, of a role that starts again as a whole, and no more often than it has to: Tasks that get
// their first Pods at different times also fail at different times, and a Task that has no Pod yet does not start again with the others.
func (p *planner) roleAgain() plan {
	n := p.from(1, 4)
	return plan{
		prone: true,
		spec: framework(fancy(0), role("a", n, fmt.Sprintf("retryPolicy: {maxRetryCount: %d},", 2*n), fancy(0),
			p.terminate("run-for", p.runFor(), "exit-codes", "1,1,0")...),
			role("b", p.from(0, 2), "", fancy(0), "run-for", p.runFor())),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: exactly(0), free: 2 * n}, "b": {codes: []int32{0}}}},
	}
}

// stepped uses up the retries of the Task, of its role and of the Framework.
func (p *planner) stepped() plan {
	return plan{
		prone: true,
		spec:  framework(fancy(1), role("a", 1, "retryPolicy: {maxRetryCount: 2},", fancy(1), p.terminate("run-for", p.runFor(), "exit-code", "1")...)),
		want:  end{code: 1, accountable: exactly(1), roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{1}, accountable: exactly(1), free: 2}}},
	}
}

// asked adds the adviser's answer to a spec.
func asked(parameters, spec string) string {
	return fmt.Sprintf("{plugins: [{name: adviser, parameters: {%s}}], %s", parameters, strings.TrimPrefix(spec, "{"))
}

// advised restarts all Tasks of a role, later and elsewhere, as the plugin advises against the policy.
func (p *planner) advised() plan {
	n := p.from(1, 4)
	return plan{
		prone: true,
		spec: asked(fmt.Sprintf("code: 300, restart: 2, delaySeconds: %d, avoidSeconds: %d", p.from(0, 3), p.from(0, 20)),
			framework(fancy(3), role("a", n, "", fancy(3), p.terminate("run-for", p.runFor(), "exit-codes", "1,0")...))),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}, accountable: between{0, 1}, free: n - 1}}},
	}
}

// givenUp ends each attempt at the first failure, as the plugin advises, although the policy would retry the Task for ever.
func (p *planner) givenUp() plan {
	return plan{
		prone: true,
		spec:  asked("code: 300, giveUp: true", framework(fancy(1), role("a", 1, "", fancy(-1), p.terminate("run-for", p.runFor(), "exit-code", "1")...))),
		want:  end{code: 300, accountable: exactly(1), roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{300}, accountable: exactly(0)}}},
	}
}

// ordered has names in DNS, keys, and roles that start one after the other. Simulated nodes do not run its barrier.
func (p *planner) ordered() plan {
	n := p.from(1, 4)
	after := func(role, when string) string { return fmt.Sprintf("startAfter: [{role: %s, when: %s}],", role, when) }
	ended := func(tasks int) roleEnd { return roleEnd{tasks: tasks, codes: []int32{0}} }
	launcher := strings.Replace(role("launcher", 1, after("worker", "Running"), fancy(3), "run-for", p.runFor()),
		"containers:", "initContainers: [{name: barrier, image: barrier}], containers:", 1)
	return plan{
		prone: true,
		spec: "{network: {dns: true}, ssh: {mountPath: /root/.ssh}, " + strings.TrimPrefix(framework(fancy(3),
			role("init", 1, "", fancy(3), "run-for", p.runFor()),
			role("worker", n, after("init", "Succeeded"), fancy(3), p.terminate("run-for", p.runFor())...), launcher), "{"),
		want: end{roles: map[string]roleEnd{"init": ended(1), "worker": ended(n), "launcher": ended(1)}},
	}
}

// failing uses up all its retries, of the Task and of the Framework.
func (p *planner) failing() plan {
	return plan{
		prone: true,
		spec:  framework(p.avoiding(1), role("a", 1, "", p.avoiding(1), p.terminate("run-for", p.runFor(), "exit-code", "1")...)),
		want:  end{code: 1, accountable: exactly(1), roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{1}, accountable: exactly(1)}}},
	}
}

// permanent is not retried, whatever retries its policy has left.
func (p *planner) permanent() plan {
	return plan{
		prone: true,
		spec: framework(fancy(3), role("a", 1, "", fancy(3), "run-for", p.runFor(), "exit-code", "210"),
			role("b", p.from(1, 3), "", fancy(0), p.terminate()...)),
		want: end{code: 210, roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{210}}, "b": {codes: []int32{completedCode, -101, -111}}}},
	}
}

// anyone of a role may succeed, and the rest is torn down.
func (p *planner) anyone() plan {
	n := p.from(2, 5)
	return plan{
		prone: true,
		spec: framework(fancy(3),
			role("a", n, "frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 1},", fancy(0), p.terminate("run-for", p.runFor())...)),
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0, completedCode, -101, -111}}}},
	}
}

// leader decides for all.
func (p *planner) leader() plan {
	n := p.from(1, 4)
	return plan{
		prone: true,
		spec: framework(fancy(3),
			role("leader", 1, "frameworkAttemptCompletionPolicy: {minSucceededTaskCount: 1},", fancy(0), "run-for", p.runFor()),
			role("worker", n, "frameworkAttemptCompletionPolicy: {minFailedTaskCount: -1},", fancy(0), p.terminate()...)),
		want: end{roles: map[string]roleEnd{
			"leader": {tasks: 1, codes: []int32{0}},
			"worker": {tasks: n, codes: []int32{completedCode, -101, -111}},
		}},
	}
}

// service is retried for ever, until it is stopped.
func (p *planner) service() plan {
	return plan{
		prone: true,
		spec:  framework(fancy(-2), role("a", p.from(1, 4), "", fancy(-2), p.terminate("run-for", "1s")...)),
		steps: []step{{after: 3 * p.moments(), patch: stop}},
		want:  stoppedEnd,
	}
}

const stop = `{"spec":{"executionType":"Stop"}}`

// stoppedEnd leaves the ends of Tasks open: they depend on the time of the stop.
var stoppedEnd = end{code: stoppedCode, accountable: between{0, 1 << 20}}

// rescaled changes its scale again and again while Tasks end. A Task that does not end keeps it going, until its
// role is removed: then all that is wanted has succeeded.
func (p *planner) rescaled() plan {
	scaled := func(n int, roles ...string) string {
		return framework(fancy(3), append([]string{role("a", n, "", fancy(3), "run-for", "1s")}, roles...)...)
	}
	keeper := role("keeper", 1, "", fancy(3))
	out := plan{prone: true, spec: scaled(p.from(0, 5), keeper)}
	n := 0
	for range p.from(2, 6) {
		n = p.from(1, 8)
		out.steps = append(out.steps, step{after: p.moments(), patch: specPatch(scaled(n, keeper))})
	}
	out.steps = append(out.steps, step{after: p.moments(), patch: specPatch(scaled(n))})
	out.want = end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}}}}
	return out
}

// shrinking loses Tasks that run, and gets others back, with a policy that changes along: if a Task that was
// removed counted, the attempt would fail.
func (p *planner) shrinking() plan {
	scaled := func(n int) string {
		policy := fmt.Sprintf("frameworkAttemptCompletionPolicy: {minFailedTaskCount: %d},", n)
		return framework("{}", role("a", n, policy, "{}", p.terminate()...))
	}
	out := plan{spec: scaled(p.from(3, 8))}
	for range p.from(2, 6) {
		out.steps = append(out.steps, step{after: p.moments(), patch: specPatch(scaled(p.from(1, 8)))})
	}
	out.steps = append(out.steps, step{after: p.moments(), patch: stop})
	out.want = end{code: stoppedCode}
	return out
}

// conflict is retried after a delay, as a whole, until its user corrects it.
func (p *planner) conflict() plan {
	exits := func(code string) string {
		return framework(fancy(0), role("a", p.from(1, 3), "", "{}", "run-for", "0s", "exit-code", code))
	}
	return plan{
		prone: true,
		spec:  exits("201"),
		steps: []step{{after: 2 * p.moments(), patch: specPatch(exits("0"))}},
		want:  end{unlimited: true, roles: map[string]roleEnd{"a": {codes: []int32{0}}}},
	}
}

// held is created first, and started later.
func (p *planner) held() plan {
	out := p.batch()
	out.spec = "{executionType: Create, " + strings.TrimPrefix(out.spec, "{")
	out.steps = []step{{after: p.moments(), patch: `{"spec":{"executionType":"Start"}}`}}
	return out
}

// stopped is stopped while it runs.
func (p *planner) stopped() plan {
	return plan{
		prone: true,
		spec:  framework(fancy(3), role("a", p.from(1, 6), "", fancy(3), p.terminate()...)),
		steps: []step{{after: p.moments(), patch: stop}},
		want:  end{code: stoppedCode},
	}
}

// suspended is suspended now and then, from its creation on or later, until its user lets it end.
func (p *planner) suspended() plan {
	out := p.batch()
	out.want.unlimited = true
	if p.from(0, 2) == 0 {
		out.spec = "{suspend: true, " + strings.TrimPrefix(out.spec, "{")
	}
	for range p.from(1, 8) {
		out.steps = append(out.steps, step{after: p.moments(), patch: fmt.Sprintf(`{"spec":{"suspend":%t}}`, p.from(0, 1) == 0)})
	}
	out.steps = append(out.steps, step{after: p.moments(), patch: `{"spec":{"suspend":false}}`})
	return out
}

// gang waits to be admitted, and is taken back now and then.
func (p *planner) gang() plan {
	out := p.batch()
	out.want.unlimited = true
	out.spec = "{scheduling: {queue: any}, " + strings.TrimPrefix(out.spec, "{")
	return out
}

// deleted is deleted while it runs.
func (p *planner) deleted() plan {
	return plan{
		prone: true,
		spec:  framework(fancy(3), role("a", p.from(1, 6), "", fancy(3), p.terminate()...)),
		steps: []step{{after: p.moments()}},
		want:  end{gone: true},
	}
}

// reborn is deleted while it runs, and another one gets its name.
func (p *planner) reborn() plan {
	out := p.batch()
	out.steps = []step{{after: p.moments(), again: true}}
	return out
}

// shortlived is deleted when it has ended.
func (p *planner) shortlived() plan {
	out := p.batch()
	out.spec = "{ttlSecondsAfterFinished: 1, " + strings.TrimPrefix(out.spec, "{")
	out.want = end{gone: true}
	return out
}

// squattedOn has to wait for names.
func (p *planner) squattedOn() plan {
	out := p.batch()
	out.squatted = 2 * p.moments()
	return out
}

func specPatch(spec string) string { return mustJSON("{spec: " + spec + "}") }
