package explain

import (
	"fmt"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// retry is an attempt whose end is decided, and what decides whether another one follows.
type retry struct {
	who      string // the Framework, or a Task
	policy   v1.RetryPolicySpec
	role     *v1.TaskRoleStatus // of a Task; nil for the Framework
	roleSpec *v1.TaskRoleSpec
	counters v1.RetryPolicyStatus
	ended    v1.CompletionStatus
	advice   *v1.RetryAdvice // of the plugin that has judged the failure; nil if there is none
	task     *v1.TaskStatus  // nil for the Framework, and for an earlier attempt
	pauseSec int64           // for which a retry waits at least, as Pods of late never ran
	over     time.Time       // when it ended, as windows have it
	since    time.Time       // when its present state began, from which a delay lasts
	final    bool            // the decision has been made: there is none
	ending   bool            // its Pods are not gone yet
	gone     string          // what has to happen before it is over
}

// prospect is what becomes of an attempt whose end is decided, as long as the spec stays as it is and nobody interferes.
type prospect string

const (
	noMore         prospect = "no more"            // the policy allows no retry
	unsaid         prospect = "unsaid"             // there is none, and the policy of today does not say why
	noneOfDeleted  prospect = "none: deleted"      // there would be one, but the Framework is being deleted
	noneOfStopped  prospect = "none: stopped"      // there would be one, but the Framework was stopped
	noneOfSuspend  prospect = "none: suspended"    // there would be one of the Task, but the Framework's attempt is about to end
	afterInterrupt prospect = "after interruption" // whatever the policy says
	withOthers     prospect = "with others"        // as another Task has failed
	ofRole         prospect = "of the role"        // the policy of the role starts all its Tasks again
	scheduled      prospect = "scheduled"          // decided on before the policy was changed
	byPolicy       prospect = "by policy"
)

// follows reports whether there is another attempt.
func (p prospect) follows() bool {
	return p == afterInterrupt || p == withOthers || p == ofRole || p == scheduled || p == byPolicy
}

// row decides, by the policy as it is now. Whether the role of a Task starts again is another question, and so is what was
// settled before the policy was changed.
func (r retry) row() retryrules.Decision {
	c := retryrules.OfFramework(r.policy, r.counters, r.end())
	c.PauseSec = r.pauseSec
	return retryrules.Decide(c)
}

// again reports whether another attempt follows, and whether it is the role of the Task that starts again.
func (r retry) again() (follows, byRole bool) {
	if r.task == nil {
		return r.row().Follows, false
	}
	d := retryrules.Decide(retryrules.OfTask(r.roleSpec, r.role.RetriedCount, r.task, r.end()))
	return d.Follows, d.Role
}

func (r retry) end() retryrules.Ending {
	return retryrules.Ending{Status: r.ended, Advice: r.advice, Time: r.over}
}

// prospect goes by the same table as the controller, and by what the controller looks at before and after it.
func (t *telling) prospect(r retry) prospect {
	row := r.row()
	next, byRole := r.again()
	switch {
	case row.ID == retryrules.EndedByController, r.final && row.Retry: // the policy was another one then
		return unsaid
	case r.final || !next:
		return noMore
	case t.Framework.DeletionTimestamp != nil:
		return noneOfDeleted
	case t.Framework.Spec.ExecutionType == v1.ExecutionStop:
		return noneOfStopped
	case r.role != nil && lifecycle.Suspended(&t.Framework.Spec):
		return noneOfSuspend
	case row.ID == retryrules.Interrupted:
		return afterInterrupt
	case row.ID == retryrules.WithPeers:
		return withOthers
	case byRole:
		return ofRole
	case !row.Retry:
		return scheduled
	}
	return byPolicy
}

// sayRetry says whether another attempt follows, and why. Nothing is said of a success that is not followed by another one.
func (t *telling) sayRetry(r retry) {
	p := t.prospect(r)
	switch p {
	case noMore:
		r.sayNoMore(t, r.row())
	case noneOfDeleted:
		t.say("It is not tried again, as the Framework is being deleted.")
	case noneOfStopped:
		t.say("It is not tried again, as the Framework was stopped.")
	case noneOfSuspend:
		t.say("The Task is not retried: the Framework is suspended, which ends this attempt.")
	case afterInterrupt:
		if !lifecycle.Suspended(&t.Framework.Spec) { // that is told already
			t.say("Another attempt starts as soon as possible. It does not depend on retryPolicy and is not counted as a retry.")
		}
	case withOthers:
		t.say("Its next attempt starts together with those of the others. It does not depend on retryPolicy and is not counted as a retry.")
	case ofRole:
		r.sayOfRole(t)
	case scheduled:
		t.say("%s%s is tried again, as that was decided before the retry policy was changed, and the retry counts.", strings.ToUpper(r.who[:1]), r.who[1:])
	case byPolicy:
		t.say("The retry policy of %s %s", r.who, asSentence(r.retried(r.row())))
	}
	if p.follows() {
		t.nextAttempt(r)
	}
}

// sayOfRole says that the role starts again, and why; or only that it does, if its policy was another one when that was decided.
func (r retry) sayOfRole(t *telling) {
	if row := r.row(); r.roleSpec.RetryPolicy != nil && row.UsedUp {
		r.sayNoMore(t, row)
		t.say("The retry policy of role %s starts the whole role again: %s.", r.role.Name, r.usedByRole())
		return
	}
	t.say("Role %s starts again as a whole, as that was decided before its retry policy was changed.", r.role.Name)
}

// sayPastRetry says why an attempt was followed by another one, as far as the policy of today has the reason.
func (t *telling) sayPastRetry(r retry) {
	row := r.row()
	if row.AtOnce {
		t.say("That cost no retry, whatever retryPolicy says.")
		return
	}
	t.say("The retry policy of %s %s", r.who, asSentence(r.retried(row)))
}

// nextAttempt says when it begins, if that is known, still to come, and nothing else is waited for.
func (t *telling) nextAttempt(r retry) {
	if due, ok := t.due(r); ok && !due.IsZero() {
		t.say("The next attempt begins at %s.", t.until(due))
	}
}

// due is when the next attempt begins; zero if it does not wait. It is not known of an attempt that is not over, nor while the
// Framework is suspended.
func (t *telling) due(r retry) (at time.Time, known bool) {
	switch {
	case r.ending || lifecycle.Suspended(&t.Framework.Spec):
		return time.Time{}, false
	case r.task != nil && r.task.AttemptStatus.Restart != nil:
		return t.dueTogether(r.role.Name)
	case r.counters.RetryDelaySec == nil || *r.counters.RetryDelaySec == 0:
		return time.Time{}, true
	}
	return retryTime(r.since, r.counters), true
}

func retryTime(over time.Time, counters v1.RetryPolicyStatus) time.Time {
	if counters.RetryDelaySec == nil {
		return time.Time{}
	}
	return over.Add(time.Duration(*counters.RetryDelaySec) * time.Second)
}

// sayNoMore says why a failure is the last one.
func (r retry) sayNoMore(t *telling, row retryrules.Decision) {
	if r.ended.Type.Name != v1.CompletionFailed {
		return
	}
	verb := "does not have it tried again"
	if r.ending {
		verb = "will not have it tried again"
	}
	why := "maxRetryCount is 0"
	switch {
	case row.ID == retryrules.Permanent:
		why = "with fancyRetryPolicy, a failure that would come again is not, whatever maxRetryCount says"
		if t.saidAlready(why) {
			t.say("Nor %s the retry policy of %s, for the same reason.", strings.Split(verb, " ")[0], r.who)
			return
		}
	case row.ID == retryrules.GivenUp:
		t.say("The plugin that judged the failure gave up the whole attempt of the Framework, whatever retryPolicy of the Task says.")
		return
	case row.ID == retryrules.BudgetUsedUp:
		why = r.usedOfBudget()
	case row.ID == retryrules.WindowFull:
		why = fmt.Sprintf("%s tried again within %d s, which is all that window allows", failures(r.policy.Window.Failures), r.policy.Window.WithinSec)
	case r.policy.MaxRetryCount > 0:
		why = r.used()
	}
	t.say("The retry policy of %s %s: %s.", r.who, verb, why)
	if _, byRole := r.again(); r.role != nil && r.final && row.UsedUp && r.roleSpec.RetryPolicy != nil && !byRole {
		t.say("Nor does that of role %s start the role again: %s.", r.role.Name, r.usedByRole())
	}
}

// usedByRole says how many retries of those that the role has are used.
func (r retry) usedByRole() string {
	return usedByRole(r.roleSpec, r.role)
}

func usedByRole(spec *v1.TaskRoleSpec, role *v1.TaskRoleStatus) string {
	switch most := spec.RetryPolicy.MaxRetryCount; {
	case most == v1.RetryOnFailure:
		return fmt.Sprintf("its maxRetryCount is -1, and %d retries are used", role.RetriedCount)
	case most == 1 && role.RetriedCount == 0:
		return "its only retry is not used yet"
	case most == 1:
		return "its only retry is used"
	default:
		return fmt.Sprintf("%d of %d retries are used", role.RetriedCount, most)
	}
}

// retried says that another attempt follows, and by which row of the retry table, in words of the spec.
func (r retry) retried(row retryrules.Decision) string {
	verb := "has it tried again"
	if r.ending {
		verb = "will have it tried again as soon as " + r.gone
		if r.delayed(row) {
			verb += " and a delay is over"
		}
	}
	switch row.ID {
	case retryrules.TransientConflict:
		if r.role == nil && !r.ending { // for a random time; a Task does not wait for that
			verb += " after a while"
		}
		return verb + ", without counting it: fancyRetryPolicy does so with a conflict over resources, however often it comes. " + r.bounded()
	case retryrules.Transient:
		return verb + ", without counting it: fancyRetryPolicy does so with a failure that may pass, however often it comes. " + r.bounded()
	case retryrules.ConflictInBudget, retryrules.InBudget:
		return verb + ", by one of its budgets: " + r.usedOfBudget()
	case retryrules.Always:
		return verb + ": maxRetryCount is -2, so that is done however it ends"
	case retryrules.OnFailure:
		return verb + ": maxRetryCount is -1, so that is done after every failure"
	}
	return fmt.Sprintf("%s: %s", verb, r.used())
}

// delayed reports whether a retry by that row will be delayed when it is scheduled, maybe for a random time.
func (r retry) delayed(row retryrules.Decision) bool {
	return row.DelaySec > 0 || row.Conflict && r.role == nil
}

// bounded says how to have an end of what goes on however often it comes.
func (r retry) bounded() string {
	if r.policy.MaxRetryCount < 0 {
		return ""
	}
	return fmt.Sprintf("With fancyRetryPolicy: false, it would count, and maxRetryCount is %d", r.policy.MaxRetryCount)
}

// used says how many retries of those that the policy allows are used.
func (r retry) used() string {
	text := fmt.Sprintf("%d of %d retries are used", r.counters.AccountableRetriedCount, r.policy.MaxRetryCount)
	if r.policy.MaxRetryCount == 1 {
		text = "its only retry is used"
		if r.counters.AccountableRetriedCount == 0 {
			text = "its only retry is not used yet"
		}
	}
	if free := r.counters.TotalRetriedCount - r.counters.AccountableRetriedCount; free > 0 {
		text += fmt.Sprintf(", and %d more did not count", free)
	}
	return text
}

// usedOfBudget says which budget decides, and how much of it is used.
func (r retry) usedOfBudget() string {
	b := retryrules.BudgetOf(r.policy, r.ended)
	if b == nil {
		return "it was another one then"
	}
	used := retryrules.BudgetUsed(r.counters, b)
	if b.MaxRetryCount < 0 {
		return fmt.Sprintf("that for %s has no limit, and %d retries have counted against it", retryrules.BudgetCause(b), used)
	}
	return fmt.Sprintf("of that for %s %d of %d retries are used", retryrules.BudgetCause(b), used, b.MaxRetryCount)
}

func failures(n int32) string {
	if n == 1 {
		return "1 failure was"
	}
	return fmt.Sprintf("%d failures were", n)
}
