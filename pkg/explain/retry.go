package explain

import (
	"fmt"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// retry is an attempt that has ended, and by what it is decided whether another one follows.
type retry struct {
	who      string // the Framework, or a Task
	policy   v1.RetryPolicySpec
	role     *v1.TaskRoleStatus // of a Task; nil for the Framework
	roleSpec *v1.TaskRoleSpec
	counters v1.RetryPolicyStatus
	ended    v1.CompletionStatus
	advice   *v1.RetryAdvice // of the plugin that has judged the failure; nil if there is none
	since    time.Time       // when it was over
	final    bool            // there is none
	ending   bool            // it is not over yet, and is decided when
	gone     string          // this is so
}

// sayRetry says what the retry policy makes of an attempt. Nothing is said of a success that is not followed by another one.
func (t *telling) sayRetry(r retry) {
	ended := lifecycle.Ending{Status: r.ended, Advice: r.advice, Time: r.since}
	row := lifecycle.DecideRetry(r.policy, r.counters, ended)
	if !row.Retry && !r.final && r.role != nil && lifecycle.DecideTaskRetry(r.roleSpec, r.role.RetriedCount, r.counters, ended).Role {
		r.sayNoMore(t, row)
		t.say("The retry policy of role %s starts the whole role again: %s.", r.role.Name, r.usedByRole())
		t.nextAttempt(r)
		return
	}
	switch {
	case row.ID == "R0", row.Retry && r.final: // the policy was another one then
	case !row.Retry:
		r.sayNoMore(t, row)
	case t.Framework.DeletionTimestamp != nil:
		t.say("It is not tried again, as the Framework is being deleted.")
	case t.Framework.Spec.ExecutionType == v1.ExecutionStop:
		t.say("It is not tried again, as the Framework was stopped.")
	case row.ID == "R0a" && lifecycle.Suspended(&t.Framework.Spec): // that is told already
	case row.ID == "R0a":
		t.say("Another attempt follows as soon as it may, whatever retryPolicy says, and costs no retry.")
	case row.ID == "R0b":
		t.say("Its next attempt begins together with those of the others, whatever retryPolicy says, and costs no retry.")
	default:
		t.say("The retry policy of %s %s", r.who, asSentence(r.again(row)))
		t.nextAttempt(r)
	}
}

// nextAttempt says when it begins, if that is known and nothing else is waited for.
func (t *telling) nextAttempt(r retry) {
	delay := r.counters.RetryDelaySec
	if delay == nil || *delay == 0 || lifecycle.Suspended(&t.Framework.Spec) {
		return
	}
	t.say("The next attempt begins at %s.", t.until(r.since.Add(time.Duration(*delay)*time.Second)))
}

// sayNoMore says why a failure is the last one.
func (r retry) sayNoMore(t *telling, row lifecycle.RetryRow) {
	if r.ended.Type.Name != v1.CompletionFailed {
		return
	}
	verb := "does not have it tried again"
	if r.ending {
		verb = "will not have it tried again"
	}
	why := "maxRetryCount is 0"
	switch {
	case row.ID == "R3":
		why = "with fancyRetryPolicy, a failure that would come again is not, whatever maxRetryCount says"
		if t.saidAlready(why) {
			t.say("Nor %s the retry policy of %s, for the same reason.", strings.Split(verb, " ")[0], r.who)
			return
		}
	case row.ID == "R0c":
		t.say("The plugin that judged the failure gave up the whole attempt of the Framework, whatever retryPolicy of the Task says.")
		return
	case row.ID == "RB3":
		why = r.usedOfBudget()
	case row.ID == "RW":
		why = fmt.Sprintf("%s tried again within %d s, which is all that window allows", failures(r.policy.Window.Failures), r.policy.Window.WithinSec)
	case r.policy.MaxRetryCount > 0:
		why = r.used()
	}
	t.say("The retry policy of %s %s: %s.", r.who, verb, why)
	if r.role != nil && r.final && row.UsedUp && r.roleSpec.RetryPolicy != nil {
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

// again says that another attempt follows, and by which row of the retry table, in words of the spec.
func (r retry) again(row lifecycle.RetryRow) string {
	verb := "has it tried again"
	if r.ending {
		verb = "will have it tried again as soon as " + r.gone
	}
	switch row.ID {
	case "R1":
		return verb + " after a while, without counting it: fancyRetryPolicy does so with a conflict over resources, however often it comes. " + r.bounded()
	case "R2":
		return verb + ", without counting it: fancyRetryPolicy does so with a failure that may pass, however often it comes. " + r.bounded()
	case "RB1", "RB2":
		return verb + ", by one of its budgets: " + r.usedOfBudget()
	case "R4":
		return verb + ": maxRetryCount is -2, so that is done however it ends"
	case "R5":
		return verb + ": maxRetryCount is -1, so that is done after every failure"
	}
	return fmt.Sprintf("%s: %s", verb, r.used())
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
	b := lifecycle.BudgetOf(r.policy, r.ended)
	if b == nil {
		return "it was another one then"
	}
	used := lifecycle.BudgetUsed(r.counters, b)
	if b.MaxRetryCount < 0 {
		return fmt.Sprintf("that for %s has no limit, and %d retries have counted against it", lifecycle.BudgetCause(b), used)
	}
	return fmt.Sprintf("of that for %s %d of %d retries are used", lifecycle.BudgetCause(b), used, b.MaxRetryCount)
}

func failures(n int32) string {
	if n == 1 {
		return "1 failure was"
	}
	return fmt.Sprintf("%d failures were", n)
}
