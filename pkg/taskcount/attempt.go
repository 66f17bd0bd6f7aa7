package taskcount

import (
	"iter"
	"time"
)

// Attempt is what the policy looks at. Only roles that the spec has count, in its order, and only Tasks that are
// completed for good and not being removed.
type Attempt interface {
	// RoleNumber is how many roles there are; they are counted from 0.
	RoleNumber() int
	Role(role int) Role
	// Completed yields the role's Tasks that count, in the order of their indices, as many as the role's counts say.
	Completed(role int) iter.Seq[Task]
}

// Role is how far a role is.
type Role struct {
	// How many Tasks the spec asks for. Less than 0 counts as 0.
	Wanted int
	// How many Tasks count, by how they ended.
	Failed, Succeeded int
	// Thresholds; less than 1 is none.
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
