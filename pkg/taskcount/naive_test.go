package taskcount_test

import (
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// event is a completion on the time line of naive.
type event struct {
	role int
	task taskcount.Task
}

// naive implements contract 3.2 as a time line: the completions happen one after the other, up to the first one that meets a
// threshold.
func naive(l listed) (rule taskcount.Rule, role int, index int32) {
	var line []event
	wanted := 0
	for i, r := range l {
		wanted += max(r.wanted, 0)
		for _, kind := range []bool{false, true} {
			for _, t := range r.tasks {
				if t.Succeeded == kind {
					line = append(line, event{role: i, task: t})
				}
			}
		}
	}
	sort.SliceStable(line, func(i, j int) bool { return line[i].task.CompletionTime.Before(line[j].task.CompletionTime) })
	counts := map[[2]int]int32{}
	for _, e := range line {
		kind, threshold, name := 0, l[e.role].minFailed, taskcount.MinFailed
		if e.task.Succeeded {
			kind, threshold, name = 1, l[e.role].minSucceeded, taskcount.MinSucceeded
		}
		counts[[2]int{e.role, kind}]++
		if threshold >= 1 && counts[[2]int{e.role, kind}] == threshold {
			return name, e.role, e.task.Index
		}
	}
	if wanted == 0 || len(line) < wanted {
		return "", 0, 0
	}
	return taskcount.AllCompleted, -1, -1
}

func random(r *rand.Rand) listed {
	l := make(listed, r.IntN(4))
	for i := range l {
		l[i].minFailed, l[i].minSucceeded = int32(r.IntN(6)-1), int32(r.IntN(6)-1)
		for index := range int32(r.IntN(6)) {
			if r.IntN(4) > 0 {
				l[i].tasks = append(l[i].tasks, taskcount.Task{Index: index, Succeeded: r.IntN(2) == 0, CompletionTime: at(int64(r.IntN(5)))})
			}
		}
		l[i].wanted = len(l[i].tasks) + r.IntN(2)
	}
	return l
}

// Decide gives the same result as the time line of completions.
func TestDecideIsTheNaiveTimeLine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	seen := map[taskcount.Rule]int{}
	for range 50_000 {
		l := random(r)
		rule, role, index := naive(l)
		got, decided := taskcount.Decide(l)
		seen[got.Rule]++
		switch {
		case decided != (rule != ""), got.Rule != rule:
			t.Fatalf("%+v: %+v, want rule %q", l, got, rule)
		case rule == taskcount.AllCompleted:
			role, index = naiveLast(l)
		}
		if got.Role != role || got.Index != index {
			t.Fatalf("%+v: %+v, want role %d index %d", l, got, role, index)
		}
	}
	if len(seen) != 4 {
		t.Errorf("not every outcome was tried: %v", seen)
	}
}

// naiveLast is the Task that completed last; of several, the first.
func naiveLast(l listed) (role int, index int32) {
	for role, r := range l {
		for _, t := range r.tasks {
			if !anyLater(l, t) {
				return role, t.Index
			}
		}
	}
	return 0, 0
}

func anyLater(l listed, t taskcount.Task) bool {
	for _, r := range l {
		for _, other := range r.tasks {
			if other.CompletionTime.After(t.CompletionTime) {
				return true
			}
		}
	}
	return false
}
