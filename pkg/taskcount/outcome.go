package taskcount

import "fmt"

// Outcome describes how an attempt ends.
type Outcome struct {
	// Rule that decided; empty in the zero value.
	Rule Rule
	// Role number and index of the trigger.
	Role  int
	Index int32
	// Reason, for the trigger's message; for AllCompleted also for the diagnostics.
	Message string
}

// Rule is the rule that decided.
type Rule string

const (
	// MinFailed: a role's threshold of failures is reached. The attempt fails as its trigger did.
	MinFailed Rule = "minFailedTaskCount"
	// MinSucceeded: a role's threshold of successes is reached. The attempt succeeds as its trigger did.
	MinSucceeded Rule = "minSucceededTaskCount"
	// AllCompleted: no threshold was reached, and nothing is left to wait for. The attempt succeeds, even if Tasks failed.
	AllCompleted Rule = "allCompleted"
)

// Of is the name of the rule in an answer about an attempt: a threshold with its role, others unchanged.
func (r Rule) Of(role string) string {
	if r == AllCompleted {
		return string(r)
	}
	return string(r) + " of " + role
}

// Inherits reports whether the attempt ends with the code of its trigger.
func (o Outcome) Inherits() bool { return o.Rule == MinFailed || o.Rule == MinSucceeded }

func failedOutcome(role int, r Role, t Task) Outcome {
	message := fmt.Sprintf("FailedTaskCount %d has reached MinFailedTaskCount %d in the TaskRole", r.Failed, r.MinFailed)
	return Outcome{MinFailed, role, t.Index, message}
}

func succeededOutcome(role int, r Role, t Task) Outcome {
	message := fmt.Sprintf("SucceededTaskCount %d has reached MinSucceededTaskCount %d in the TaskRole", r.Succeeded, r.MinSucceeded)
	return Outcome{MinSucceeded, role, t.Index, message}
}

func allCompletedOutcome(role int, t Task, sum total) Outcome {
	message := fmt.Sprintf("CompletedTaskCount %d has reached TotalTaskCount %d, and no completion policy was triggered",
		sum.completed, sum.wanted)
	return Outcome{AllCompleted, role, t.Index, message}
}
