package taskcount

import (
	"iter"
	"time"
)

// Attempt is the input of the policy. Only the roles of the spec count, in its order, and only Tasks that are completed
// for good and not being removed.
type Attempt interface {
	// RoleNumber is the number of roles; they are numbered from 0.
	RoleNumber() int
	Role(role int) Role
	// Completed yields the role's Tasks that count, in the order of their indices; their number equals the role's
	// counts.
	Completed(role int) iter.Seq[Task]
}

// Role is the progress of a role.
type Role struct {
	// Number of Tasks that the spec asks for. Less than 0 counts as 0.
	Wanted int
	// Numbers of Tasks that count, by result.
	Failed, Succeeded int
	// Thresholds; a value below 1 disables one.
	MinFailed, MinSucceeded int32
}

// Task is a completed Task that counts.
type Task struct {
	Index          int32
	Succeeded      bool
	CompletionTime time.Time
}

func (r Role) failedReached() bool    { return reached(r.Failed, r.MinFailed) }
func (r Role) succeededReached() bool { return reached(r.Succeeded, r.MinSucceeded) }

func reached(count int, threshold int32) bool {
	return threshold >= 1 && count >= int(threshold)
}
