package e2e

import (
	"strings"
	"testing"
)

// The checker is only worth something if it finds what it is there for.
func TestCheckerFindsViolations(t *testing.T) {
	run := func(change func(*frameworkSeen, *taskSeen)) observation {
		f := &frameworkSeen{name: "f", uid: "F", state: "AttemptRunning", configMapUID: "C"}
		task := taskSeen{uid: "T", podUID: "P", state: "AttemptRunning"}
		change(f, &task)
		f.tasks = map[string]taskSeen{"f-a-0": task}
		return observation{framework: f}
	}
	running := run(func(*frameworkSeen, *taskSeen) {})
	succeeded := run(func(_ *frameworkSeen, task *taskSeen) { task.decided = true })
	completed := run(func(f *frameworkSeen, task *taskSeen) {
		f.state, task.state, f.decided, task.decided = "Completed", "Completed", true, true
	})
	created := observation{pod: &podSeen{name: "f-a-0", uid: "P", framework: "f", frameworkUID: "F", configMapUID: "C", task: "T", attempt: "0"}}
	gone := created
	gone.gone = true
	held := created
	held.held = true
	other := observation{pod: &podSeen{name: "f-a-0", framework: "f", frameworkUID: "G", configMapUID: "C", task: "U", attempt: "0"}}

	tests := []struct {
		name    string
		history []observation
		want    string // part of the violation; empty: there is none
	}{
		{"a life", []observation{running, created, succeeded, gone, completed}, ""},
		{"held by a finalizer", []observation{running, created, succeeded, held, completed, gone}, ""},
		{"created twice", []observation{running, created, gone, created}, "created twice"},
		{"two at once", []observation{running, created, created}, "had its name"},
		{"created too early", []observation{created, running}, "before the attempt"},
		{"created for another attempt", []observation{run(func(_ *frameworkSeen, task *taskSeen) { task.attempt = 1 }), created}, "before its Task"},
		{"deleted before the outcome was stored", []observation{running, created, gone, completed}, "before the outcome 0"},
		{"deleted by others", []observation{running, created, gone, run(func(_ *frameworkSeen, task *taskSeen) { task.decided, task.code = true, -101 })}, ""},
		{"runs after the end", []observation{running, created, completed}, "was there when Framework f was Completed"},
		{"runs after its Task", []observation{running, created, run(func(_ *frameworkSeen, task *taskSeen) { task.state = "Completed" })}, "was there when its Task was Completed"},
		{"overlaps with an earlier Framework", []observation{running, created, other}, "of an earlier Framework"},
		{"ended without outcome", []observation{run(func(f *frameworkSeen, _ *taskSeen) { f.state = "AttemptCompleted" })}, "without an outcome"},
		{"changed outcome", []observation{completed, run(func(f *frameworkSeen, task *taskSeen) {
			f.state, task.state, f.decided, task.decided, task.code = "Completed", "Completed", true, true, 1
		})}, "changed its outcome"},
		{"back from Completed", []observation{completed, running}, "from Completed"},
		{"flag taken back", []observation{run(func(_ *frameworkSeen, task *taskSeen) { task.deletionPending = true }), running}, "not to be deleted"},
		{"retries went back", []observation{run(func(f *frameworkSeen, _ *taskSeen) { f.retries.total = 1 }), running}, "went back"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(check(tt.history), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
