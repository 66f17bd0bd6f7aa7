package crash

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// story is the life of one Framework, named "a". Its user acts on its stored status.
type story struct {
	name  string
	spec  string
	steps []step
	gone  bool // at its end; otherwise it is Completed
}

// step is done once, as soon as it may be.
type step struct {
	when func(f *v1.Framework) bool
	do   func(p *play) error
}

// role renders the role of a story; says are annotations of its Pods (test/cluster/stages.yaml).
func role(tasks, retries int, says string) string {
	return fmt.Sprintf(`{name: w, taskNumber: %d, frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: -1}, task: {retryPolicy: {maxRetryCount: %d}, pod: {metadata: {annotations: {%s}},
		spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}}`, tasks, retries, says)
}

const (
	ends   = `simulate.frameworkcontroller.io/run-for: 300ms, simulate.frameworkcontroller.io/exit-codes: "1,0"`
	fails  = `simulate.frameworkcontroller.io/run-for: 300ms, simulate.frameworkcontroller.io/exit-code: "1"`
	lasts  = ``
	lasts2 = `simulate.frameworkcontroller.io/terminate-after: 500ms`
)

var stories = []story{
	{name: "a Task is retried", spec: "{taskRoles: [" + role(1, 1, ends) + "]}"},
	{name: "the Framework is retried", spec: "{retryPolicy: {maxRetryCount: 1}, taskRoles: [" + role(1, 0, fails) + "]}"},
	{
		name: "scaled up and down, and stopped",
		spec: "{taskRoles: [" + role(1, 0, lasts) + "]}",
		steps: []step{
			{running(1), patch(`[{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": 3}]`)},
			{running(3), patch(`[{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": 1}]`)},
			{running(1), stop},
		},
	},
	{
		name:  "stopped while Pods take their time",
		spec:  "{taskRoles: [" + role(2, -2, lasts2) + "]}",
		steps: []step{{running(2), stop}},
	},
	{
		name:  "deleted in the foreground",
		spec:  "{retryPolicy: {maxRetryCount: -2}, taskRoles: [" + role(2, -2, lasts2) + "]}",
		steps: []step{{running(2), (*play).delete}},
		gone:  true,
	},
}

// running waits until there are n Tasks, all of which run, and the status matches the spec.
func running(n int) func(*v1.Framework) bool {
	return func(f *v1.Framework) bool {
		count := 0
		for _, r := range f.Status.AttemptStatus.TaskRoleStatuses {
			for _, t := range r.TaskStatuses {
				if t.State != v1.AttemptRunning {
					return false
				}
				count++
			}
		}
		return count == n && f.Status.ObservedGeneration == f.Generation
	}
}

func patch(text string) func(*play) error { return func(p *play) error { return p.patch(text) } }

func stop(p *play) error {
	return p.patch(`[{"op": "replace", "path": "/spec/executionType", "value": "Stop"}]`)
}

func (s story) framework() (*v1.Framework, error) {
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	return f, yaml.Unmarshal([]byte("{spec: "+s.spec+"}"), f)
}

// endOf renders the end of a story, without facts that may depend on crashes. A Framework that is gone is nil.
func endOf(f *v1.Framework, made map[string]int, left []string) string {
	var b strings.Builder
	if f == nil {
		b.WriteString("gone\n")
	} else {
		endOfFramework(&b, f)
	}
	var lines []string
	for what, n := range made {
		lines = append(lines, fmt.Sprintf("made %d %s\n", n, what))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	fmt.Fprintf(&b, "left %v\n", left)
	return b.String()
}

func endOfFramework(b *strings.Builder, f *v1.Framework) {
	s := f.Status
	if s == nil {
		return
	}
	fmt.Fprintf(b, "%s %s %+v\n", s.State, outcome(s.AttemptStatus.CompletionStatus), retries(s.RetryPolicyStatus))
	for _, r := range s.AttemptStatus.TaskRoleStatuses {
		for _, t := range r.TaskStatuses {
			outcome := "undecided"
			if c := t.AttemptStatus.CompletionStatus; c != nil {
				outcome = fmt.Sprint(c.Code, " ", c.Phrase)
			}
			fmt.Fprintf(b, "%s-%d %s %s %s\n", r.Name, t.Index, t.State, outcome, retries(t.RetryPolicyStatus))
		}
	}
	for _, kind := range []string{v1.ConditionRunning, v1.ConditionCompleted, v1.ConditionFailed} {
		for _, c := range s.Conditions {
			if c.Type == kind {
				fmt.Fprintf(b, "%s %s %s\n", c.Type, c.Status, c.Reason)
			}
		}
	}
}

func outcome(c *v1.FrameworkAttemptCompletionStatus) string {
	if c == nil {
		return "undecided"
	}
	return fmt.Sprint(c.Code, " ", c.Phrase)
}

func retries(s v1.RetryPolicyStatus) string {
	return fmt.Sprintf("%d/%d retries", s.AccountableRetriedCount, s.TotalRetriedCount)
}

// madeFor returns the purpose of a Pod.
func madeFor(pod *corev1.Pod) string {
	a := pod.Annotations
	return fmt.Sprintf("%s of attempt %s, attempt %s of the Task", pod.Name, a[v1.KeyFrameworkAttemptID], a[v1.KeyTaskAttemptID])
}
