package taskcount_test

import (
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

func at(sec int64) time.Time { return time.Unix(1_700_000_000+sec, 0) }

func failed(index int32, sec int64) taskcount.Task {
	return taskcount.Task{Index: index, CompletionTime: at(sec)}
}

func succeeded(index int32, sec int64) taskcount.Task {
	return taskcount.Task{Index: index, Succeeded: true, CompletionTime: at(sec)}
}

func role(wanted int, minFailed, minSucceeded int32, tasks ...taskcount.Task) listedRole {
	return listedRole{wanted, minFailed, minSucceeded, tasks}
}

func TestDecide(t *testing.T) {
	tests := []struct {
		name    string
		attempt listed
		want    taskcount.Outcome
	}{
		{"nothing completed", listed{role(2, 1, -1)}, taskcount.Outcome{}},
		{"no Task at all idles", listed{role(0, 1, -1)}, taskcount.Outcome{}},
		{"no role at all idles", nil, taskcount.Outcome{}},
		{"a failure that is tolerated", listed{role(3, 2, -1, failed(0, 1))}, taskcount.Outcome{}},
		{"the default: any failure fails", listed{role(3, 1, -1, succeeded(0, 1), failed(2, 5))},
			taskcount.Outcome{taskcount.MinFailed, 0, 2, "FailedTaskCount 1 has reached MinFailedTaskCount 1 in the TaskRole"}},
		{"the one that met the threshold, not the last one", listed{role(9, 2, -1, failed(0, 9), failed(3, 5), failed(7, 6))},
			taskcount.Outcome{taskcount.MinFailed, 0, 7, "FailedTaskCount 3 has reached MinFailedTaskCount 2 in the TaskRole"}},
		{"at the same time the lower index", listed{role(9, 1, -1, failed(4, 5), failed(6, 5))},
			taskcount.Outcome{taskcount.MinFailed, 0, 4, "FailedTaskCount 2 has reached MinFailedTaskCount 1 in the TaskRole"}},
		{"enough successes", listed{role(9, 1, 2, succeeded(1, 3), succeeded(2, 2))},
			taskcount.Outcome{taskcount.MinSucceeded, 0, 1, "SucceededTaskCount 2 has reached MinSucceededTaskCount 2 in the TaskRole"}},
		{"at the same time the failure first", listed{role(9, 1, 1, succeeded(0, 3), failed(1, 3))},
			taskcount.Outcome{taskcount.MinFailed, 0, 1, "FailedTaskCount 1 has reached MinFailedTaskCount 1 in the TaskRole"}},
		{"the success if it was earlier", listed{role(9, 1, 1, succeeded(0, 3), failed(1, 4))},
			taskcount.Outcome{taskcount.MinSucceeded, 0, 0, "SucceededTaskCount 1 has reached MinSucceededTaskCount 1 in the TaskRole"}},
		{"the role whose Task was earlier", listed{role(1, 1, 1, succeeded(0, 8)), role(9, 1, 1, failed(3, 7))},
			taskcount.Outcome{taskcount.MinFailed, 1, 3, "FailedTaskCount 1 has reached MinFailedTaskCount 1 in the TaskRole"}},
		{"at the same time the first role", listed{role(9, 1, 1, succeeded(0, 7)), role(9, 1, 1, failed(3, 7))},
			taskcount.Outcome{taskcount.MinSucceeded, 0, 0, "SucceededTaskCount 1 has reached MinSucceededTaskCount 1 in the TaskRole"}},
		{"all completed, failures or not", listed{role(2, 0, 0, failed(0, 4), succeeded(1, 9)), role(1, -1, -1, failed(0, 9))},
			taskcount.Outcome{taskcount.AllCompleted, 0, 1, "CompletedTaskCount 3 has reached TotalTaskCount 3, and no completion policy was triggered"}},
		{"more completed than wanted", listed{role(1, -1, -1, failed(0, 4), failed(1, 5))},
			taskcount.Outcome{taskcount.AllCompleted, 0, 1, "CompletedTaskCount 2 has reached TotalTaskCount 1, and no completion policy was triggered"}},
		{"a number below 0 wants nothing", listed{role(-3, -1, -1), role(1, -1, -1, failed(0, 4))},
			taskcount.Outcome{taskcount.AllCompleted, 1, 0, "CompletedTaskCount 1 has reached TotalTaskCount 1, and no completion policy was triggered"}},
	}
	for _, test := range tests {
		got, decided := taskcount.Decide(test.attempt)
		if got != test.want || decided != (test.want.Rule != "") {
			t.Errorf("%s: %+v %v, want %+v", test.name, got, decided, test.want)
		}
	}
}

func TestDecideOn(t *testing.T) {
	tests := []struct {
		name    string
		attempt listed
		role    int
		task    taskcount.Task
		want    taskcount.Outcome
	}{
		{"the Task is the trigger, though another was earlier", listed{role(9, 1, -1, failed(0, 1), failed(3, 2))}, 0, failed(3, 2),
			taskcount.Outcome{taskcount.MinFailed, 0, 3, "FailedTaskCount 2 has reached MinFailedTaskCount 1 in the TaskRole"}},
		{"a success does not trigger the threshold of failures", listed{role(9, 1, -1, failed(0, 1), succeeded(3, 2))}, 0, succeeded(3, 2),
			taskcount.Outcome{}},
		{"another role's threshold is not looked at", listed{role(9, 1, -1, failed(0, 1)), role(9, 2, -1, failed(0, 2))}, 1, failed(0, 2),
			taskcount.Outcome{}},
		{"enough successes", listed{role(9, 1, 1, succeeded(5, 1))}, 0, succeeded(5, 1),
			taskcount.Outcome{taskcount.MinSucceeded, 0, 5, "SucceededTaskCount 1 has reached MinSucceededTaskCount 1 in the TaskRole"}},
		{"the last of all", listed{role(1, -1, -1, failed(0, 9)), role(1, -1, -1, failed(0, 2))}, 1, failed(0, 2),
			taskcount.Outcome{taskcount.AllCompleted, 1, 0, "CompletedTaskCount 2 has reached TotalTaskCount 2, and no completion policy was triggered"}},
	}
	for _, test := range tests {
		got, decided := taskcount.DecideOn(test.attempt, test.role, test.task)
		if got != test.want || decided != (test.want.Rule != "") {
			t.Errorf("%s: %+v %v, want %+v", test.name, got, decided, test.want)
		}
	}
}

// An attempt that yields fewer Tasks than it counts does not end on a Task that is not there.
func TestDecideWithoutTheTasks(t *testing.T) {
	for _, counts := range []taskcount.Role{
		{Wanted: 5, Failed: 1, MinFailed: 1}, {Wanted: 5, Succeeded: 3, MinSucceeded: 2}, {Wanted: 2, Failed: 2},
	} {
		if got, decided := taskcount.Decide(countsOnly{counts}); decided {
			t.Errorf("%+v: decided %+v", counts, got)
		}
	}
}

// While no threshold is reached, no Task is read and nothing is allocated, so that every round can afford it.
func TestDecideIsCheapWhileNothingIsDecided(t *testing.T) {
	var attempt taskcount.Attempt = countsOnly{{Wanted: 10_000, Failed: 3, Succeeded: 9_000, MinFailed: 4, MinSucceeded: -1}}
	allocs := testing.AllocsPerRun(100, func() {
		if _, decided := taskcount.Decide(attempt); decided {
			t.Fatal("decided")
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
