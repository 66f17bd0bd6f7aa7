package explain

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// This file words the statements about retries: how often, why, why not, and which limit to raise.

// HowOften states the number of retries, and how many of them counted.
func (v view) HowOften() string {
	counted, total := *v.Counted, *v.Retries
	switch {
	case total == 1 && counted == 1:
		return "once, which counted against maxRetryCount"
	case total == 1:
		return "once, which did not count against maxRetryCount"
	case counted == 0:
		return fmt.Sprintf("%d times, and no retry counted against maxRetryCount", total)
	case counted == total:
		return fmt.Sprintf("%d times, and each retry counted against maxRetryCount", total)
	}
	return fmt.Sprintf("%d times, and %d of the retries counted against maxRetryCount", total, counted)
}

// UsedByRole states how many of a role's retries are used.
func (v view) UsedByRole() string {
	switch used, most := *v.Used, *v.Limit; {
	case most == v1.RetryOnFailure:
		if used == 1 {
			return "its maxRetryCount is -1, and 1 retry is used"
		}
		return fmt.Sprintf("its maxRetryCount is -1, and %d retries are used", used)
	case most == 1 && used == 0:
		return "its only retry is not used yet"
	case most == 1:
		return "its only retry is used"
	default:
		return fmt.Sprintf("%d of %d retries %s used", used, most, are(used))
	}
}

// used states how many of a policy's retries are used.
func (v view) used() string {
	text := fmt.Sprintf("%d of %d retries %s used", *v.Used, *v.Limit, are(*v.Used))
	switch {
	case *v.Limit == 1 && *v.Used == 0:
		text = "its only retry is not used yet"
	case *v.Limit == 1:
		text = "its only retry is used"
	}
	if free := *v.Retries - *v.Used; free > 0 {
		text += fmt.Sprintf(", and %d more did not count", free)
	}
	return text
}

// usedOfBudget names the deciding budget, with the number of its used retries.
func (v view) usedOfBudget() string {
	switch {
	case v.Budget == "":
		return "by a budget that has been changed since"
	case *v.Limit < 0:
		return fmt.Sprintf("the budget for %s has no limit, and %d of its retries %s used", v.Budget, *v.Used, are(*v.Used))
	case *v.Limit == 1 && *v.Used == 0:
		return fmt.Sprintf("the only retry of the budget for %s is not used yet", v.Budget)
	case *v.Limit == 1:
		return fmt.Sprintf("the only retry of the budget for %s is used", v.Budget)
	}
	return fmt.Sprintf("%d of %d retries of the budget for %s %s used", *v.Used, *v.Limit, v.Budget, are(*v.Used))
}

// are is the verb of a number of things.
func are(n int32) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// WhyNot explains why a failure is the last one.
func (v view) WhyNot() string {
	switch {
	case v.likewise:
		return " either, for the same reason"
	case v.Row == retryrules.Permanent:
		return ": with fancyRetryPolicy, a permanent failure is never retried, whatever maxRetryCount is"
	case v.Used == nil: // in the past
		return whyNot[v.Row]
	case v.Row == retryrules.BudgetUsedUp:
		return ": " + v.usedOfBudget()
	case v.Row == retryrules.WindowFull && *v.Used == 1:
		return fmt.Sprintf(": 1 failure was retried within %d s, which is all that window allows", v.WithinSec)
	case v.Row == retryrules.WindowFull:
		return fmt.Sprintf(": %d failures were retried within %d s, which is all that window allows", *v.Used, v.WithinSec)
	case *v.Limit > 0:
		return ": " + v.used()
	}
	return ": maxRetryCount is 0"
}

// whyNot explains why a past failure was the last one. The limits at that time are unknown.
var whyNot = map[retryrules.RowID]string{
	retryrules.BudgetUsedUp: ": no retry was left in its budget",
	retryrules.WindowFull:   ": window allowed no further retry",
	retryrules.Otherwise:    ": maxRetryCount allowed no further retry",
}

// WhyRetried explains that another attempt follows, and by which row of the retry table, in words of the spec.
func (v view) WhyRetried() string {
	whole := v.Subject.Kind == ofFramework
	verb := "is retried"
	if v.Ending {
		verb = "will be retried as soon as its Pod is gone"
		if whole {
			verb = "will be retried as soon as its Pods are gone"
		}
		if v.Delayed {
			verb += " and a delay is over"
		}
	}
	switch v.Row {
	case retryrules.TransientConflict:
		if whole && !v.Ending { // for a random time; a Task does not wait for that
			verb += " after a while"
		}
		return verb + ": with fancyRetryPolicy, a conflict over resources is always retried, and the retry does not count." + v.bounded()
	case retryrules.Transient:
		return verb + ": with fancyRetryPolicy, a transient failure is always retried, and the retry does not count." + v.bounded()
	case retryrules.ConflictInBudget, retryrules.InBudget:
		return verb + ": " + v.usedOfBudget() + "."
	case retryrules.Always:
		return verb + ": maxRetryCount is -2, so it is always retried."
	case retryrules.OnFailure:
		return verb + ": maxRetryCount is -1, so it is retried after every failure."
	}
	return verb + ": " + v.used() + "."
}

// WhyWasRetried names the row of the retry table by which another attempt followed. The limits are the current ones.
func (v view) WhyWasRetried() string {
	switch v.Row {
	case retryrules.TransientConflict:
		return "fancyRetryPolicy always retries a conflict over resources. The retry did not count." + v.bounded()
	case retryrules.Transient:
		return "fancyRetryPolicy always retries transient failures. The retry did not count." + v.bounded()
	case retryrules.ConflictInBudget, retryrules.InBudget:
		if v.Budget == "" {
			return "a budget of its retry policy had a retry left."
		}
		return "its budget had a retry left. Now " + v.usedOfBudget() + "."
	case retryrules.Always:
		return "maxRetryCount -2 always allows it."
	case retryrules.OnFailure:
		return "maxRetryCount -1 allows it after every failure."
	case retryrules.Interrupted:
		return "its attempt was ended for a reason that is not its own. The retry did not count."
	case retryrules.WithPeers:
		return "another Task failed, and restarted together with it. The retry did not count."
	}
	if v.Used == nil || *v.Used > *v.Limit { // the policy is unknown, or has changed since
		return "it had a retry left."
	}
	return "it had a retry left. Now " + v.used() + "."
}

// bounded explains how to limit retries that are always granted.
func (v view) bounded() string {
	if v.Limit == nil || *v.Limit < 0 {
		return ""
	}
	would := "would count"
	if v.Topic == WasRetried {
		would = "would have counted"
	}
	return fmt.Sprintf(" With fancyRetryPolicy: false, it %s, and maxRetryCount is %d.", would, *v.Limit)
}

// RetryBegan describes the beginning of an attempt, and the end of the previous one.
func (v view) RetryBegan() phrase {
	p := say("attempt ", *v.Attempt+1)
	if v.Task != "" {
		p = say(p, " of Task ", v.Task)
	}
	p = say(p, " began ", v.Ago(), " ago, after attempt ", *v.Attempt, " ", v.EndedHow(), " with code ", *v.Code)
	if v.Phrase != "" {
		p = say(p, " (", v.Phrase, ")")
	}
	if v.Node != "" {
		p = say(p, " on ", v.TheNode())
	}
	return p
}

// RetriesLeft states for a Task, its role and the Framework whether a retry was left.
func (v view) RetriesLeft() string { return retryrules.Sentence(v.Verdicts) }

// TheLimits lists the limits that may be raised, ThePolicies the policies that may be changed.
func (v view) TheLimits() string {
	var parts, counts []string
	for _, l := range v.Limits {
		of := l.String()
		switch l.Field {
		case fieldBudgets:
			parts = append(parts, fmt.Sprintf("maxRetryCount of the budget for %s, which is %d for %s", l.Budget, l.Value, of))
		case fieldWindow:
			parts = append(parts, fmt.Sprintf("failures of window, which is %d for %s", l.Value, of))
		default:
			counts = append(counts, fmt.Sprintf("%d for %s", l.Value, of))
		}
	}
	if len(counts) > 0 {
		parts = append(parts, "maxRetryCount, which is "+listed(counts))
	}
	return joined(parts, ", or ") // each part has a comma of its own
}

func (v view) ThePolicies() string {
	var parts []string
	for _, p := range v.Policies {
		parts = append(parts, p.String())
	}
	return alternatives(parts)
}

// String names the subject of the policy's retries.
func (p RetryPolicy) String() string {
	switch p.Scope {
	case scopeTasks:
		return "Tasks of role " + p.Role
	case scopeRole:
		return "role " + p.Role + " as a whole"
	}
	return "the whole Framework"
}
