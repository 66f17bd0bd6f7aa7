package taskcount_test

import (
	"iter"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// listed is an attempt given by its Tasks.
type listed []listedRole

type listedRole struct {
	wanted                  int
	minFailed, minSucceeded int32
	tasks                   []taskcount.Task
}

func (l listed) RoleNumber() int { return len(l) }

func (l listed) Role(role int) taskcount.Role {
	r := taskcount.Role{Wanted: l[role].wanted, MinFailed: l[role].minFailed, MinSucceeded: l[role].minSucceeded}
	for _, t := range l[role].tasks {
		if t.Succeeded {
			r.Succeeded++
		} else {
			r.Failed++
		}
	}
	return r
}

func (l listed) Completed(role int) iter.Seq[taskcount.Task] { return slices.Values(l[role].tasks) }

// countsOnly is an attempt that has counts but no Tasks.
type countsOnly []taskcount.Role

func (c countsOnly) RoleNumber() int              { return len(c) }
func (c countsOnly) Role(role int) taskcount.Role { return c[role] }
func (c countsOnly) Completed(int) iter.Seq[taskcount.Task] {
	return func(func(taskcount.Task) bool) {}
}
