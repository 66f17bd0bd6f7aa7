package explain

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// retry is an attempt that has ended, and by what it is decided whether another one follows.
type retry struct {
	who      string // the Framework, or a Task
	policy   v1.RetryPolicySpec
	counters v1.RetryPolicyStatus
	ended    v1.CompletionStatus
	since    time.Time // when it was over
	final    bool      // there is none
}

// sayRetry says what the retry policy makes of an attempt.
func (t *telling) sayRetry(r retry) {
	if why := r.why(); why != "" {
		t.say("%s", why)
	}
	if r.final || t.mayNotGoOn() {
		return
	}
	if delay := r.counters.RetryDelaySec; delay != nil && *delay > 0 {
		t.say("The next attempt begins at %s.", t.until(r.since.Add(time.Duration(*delay)*time.Second)))
	}
}

// mayNotGoOn reports whether no attempt begins now, whatever the retry policy says.
func (t *telling) mayNotGoOn() bool {
	return t.Framework.DeletionTimestamp != nil || t.Framework.Spec.ExecutionType == v1.ExecutionStop || lifecycle.Suspended(&t.Framework.Spec)
}

// why says which row of the retry table decides, in words of the spec. Nothing is said of a success that is not followed by
// another attempt.
func (r retry) why() string {
	row := lifecycle.DecideRetry(r.policy, r.counters, r.ended)
	if row.Retry && r.final {
		return "" // the policy was another one then
	}
	switch row.ID {
	case "R0":
		return ""
	case "R0a":
		return "Another attempt follows as soon as it may, whatever retryPolicy says, and does not count."
	case "R1":
		return "The failure is a conflict over resources, so fancyRetryPolicy has it tried again, after a while, without counting it."
	case "R2":
		return "The failure may pass, so fancyRetryPolicy has it tried again without counting it."
	case "R3":
		return "The failure would come again, so fancyRetryPolicy does not have it tried again."
	case "R4":
		return "maxRetryCount is -2, so it is tried again however it ends."
	case "R5":
		return "maxRetryCount is -1, so it is tried again after every failure."
	case "R6":
		return fmt.Sprintf("The retry policy of %s has it tried again: %s.", r.who, r.used())
	}
	return r.noMore()
}

// noMore says why a failure is the last one.
func (r retry) noMore() string {
	switch {
	case r.ended.Type.Name != v1.CompletionFailed:
		return ""
	case r.policy.MaxRetryCount <= 0:
		return fmt.Sprintf("The retry policy of %s does not have it tried again: maxRetryCount is 0.", r.who)
	}
	return fmt.Sprintf("The retry policy of %s does not have it tried again: %s.", r.who, r.used())
}

// used says how many retries of those that the policy allows are used.
func (r retry) used() string {
	text := fmt.Sprintf("%d of %d retries are used", r.counters.AccountableRetriedCount, r.policy.MaxRetryCount)
	if free := r.counters.TotalRetriedCount - r.counters.AccountableRetriedCount; free > 0 {
		text += fmt.Sprintf(", and %d more did not count", free)
	}
	return text
}
