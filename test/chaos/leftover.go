package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// leftover is the state in which the original controller has left a Framework when ours is first started (contract, P7). The Framework has
// one role, named a.
type leftover struct {
	state      v1.State // AttemptRunning, AttemptCompleted or Completed
	outcome    v1.CompletionStatus
	delay      int64 // until its retry, if it is AttemptCompleted
	tasks      int   // number of Tasks; each has the outcome, too, or runs in a Pod
	retried    int32 // times that each Task was retried already
	compressed bool
	patch      string // a change by its user meanwhile

	pods map[int32]types.UID // the running ones; known once laid out
}

// Outcomes as the original stores them.
var (
	succeeded  = v1.CompletionStatus{Phrase: "Succeeded", Type: v1.CompletionType{Name: v1.CompletionSucceeded, Attributes: []v1.CompletionTypeAttribute{}}, Diagnostics: "Pod succeeded"}
	conflicted = v1.CompletionStatus{Code: 201, Phrase: "ContainerTransientConflictFailed", Diagnostics: "Pod failed",
		Type: v1.CompletionType{Name: v1.CompletionFailed, Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributeConflict}}}
)

// leftovers are the shapes of Frameworks that exist before our first controller. Names begin with the name of their shape.
var leftovers = []struct {
	name string
	make func(*planner) plan
}{
	{"leftrunning", (*planner).leftRunning},
	{"leftretried", (*planner).leftRetried},
	{"leftwaiting", (*planner).leftWaiting},
	{"leftended", (*planner).leftEnded},
	{"leftstopped", (*planner).leftStopped},
}

// inherited returns n lives that the original began, each shape equally often, half of them compressed.
func (p *planner) inherited(n int) (out []plan) {
	for i := range n {
		shape := leftovers[i%len(leftovers)]
		one := shape.make(p)
		one.name = fmt.Sprintf("%s%d", shape.name, i)
		one.left.pods, one.left.compressed = map[int32]types.UID{}, i/len(leftovers)%2 == 1
		out = append(out, one)
	}
	return out
}

// soon is when existing Pods end: in the middle of the faults.
func (p *planner) soon() string {
	most := int(min(p.spread, time.Minute).Seconds())
	return fmt.Sprintf("%ds", p.from(most/4, most))
}

// explicit is a Framework as the original has written it, with all its zeros.
func explicit(retry, task string, tasks int, says ...string) string {
	return framework(retry, role("a", tasks, "frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: -1},",
		task, says...))
}

const noRetry = "{fancyRetryPolicy: false, maxRetryCount: 0}"

// leftRunning continues in its Pods.
func (p *planner) leftRunning() plan {
	n := p.from(1, 4)
	return plan{
		spec: explicit(noRetry, noRetry, n, "run-for", p.soon()),
		left: &leftover{state: v1.AttemptRunning, tasks: n},
		want: end{roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{0}}}},
	}
}

// leftRetried has no retry left, and needs one.
func (p *planner) leftRetried() plan {
	once := "{fancyRetryPolicy: false, maxRetryCount: 1}"
	return plan{
		spec: explicit(noRetry, once, 1, "run-for", p.soon(), "exit-code", "1"),
		left: &leftover{state: v1.AttemptRunning, tasks: 1, retried: 1},
		want: end{code: 1, roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{1}, accountable: exactly(1)}}},
	}
}

// leftWaiting is retried when its delay is over.
func (p *planner) leftWaiting() plan {
	return plan{
		spec: explicit(fancy(0), noRetry, 1, "run-for", p.runFor()),
		left: &leftover{state: v1.AttemptCompleted, outcome: conflicted, delay: int64(p.from(0, 20)), tasks: 1},
		want: end{free: 1, roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{0}}}},
	}
}

// leftEnded does not change.
func (p *planner) leftEnded() plan {
	return plan{
		spec: explicit(noRetry, noRetry, 2, "run-for", "0s"),
		left: &leftover{state: v1.Completed, outcome: succeeded, tasks: 2},
		want: end{roles: map[string]roleEnd{"a": {tasks: 2, codes: []int32{0}}}},
	}
}

// leftStopped was stopped while no controller ran.
func (p *planner) leftStopped() plan {
	n := p.from(1, 4)
	return plan{
		spec: explicit(noRetry, noRetry, n, p.terminate()...),
		left: &leftover{state: v1.AttemptRunning, tasks: n, patch: stop},
		want: end{code: stoppedCode, roles: map[string]roleEnd{"a": {tasks: n, codes: []int32{completedCode}}}},
	}
}

// kept lists the Tasks that no longer have the Pod in which the original let them run.
func (l *leftover) kept(f *v1.FrameworkStatus) (out []string) {
	for _, t := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		was, ran := l.pods[t.Index]
		is := t.AttemptStatus.PodUID
		out = append(out, differences(!ran || is != nil && *is == was, "Task a-%d ran in Pod %s, and ended in another one", t.Index, was)...)
	}
	return out
}
