package retry

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Each limit is stored as a fact, and has its words.
func TestVerdicts(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	failure := func(attributes ...v1.CompletionTypeAttribute) Ending {
		return Ending{Status: v1.CompletionStatus{Code: 9, Type: v1.CompletionType{Name: v1.CompletionFailed, Attributes: attributes}}, Time: now}
	}
	role := &v1.TaskRoleSpec{Name: "w", RetryPolicy: &v1.RoleRetryPolicySpec{MaxRetryCount: 2}}
	full := v1.RetryPolicyStatus{RecentFailures: []metav1.Time{metav1.NewTime(now)}}
	whole := OfFramework(v1.RetryPolicySpec{MaxRetryCount: 1}, v1.RetryPolicyStatus{}, failure())
	const last = "; role w: no retry is left by maxRetryCount 2; Framework: has a retry left"
	for want, task := range map[string]Case{
		"Task w-0: no retry is left by maxRetryCount 0" + last: OfFramework(v1.RetryPolicySpec{}, v1.RetryPolicyStatus{}, failure()),
		"Task w-0: no retry is left by maxRetryCount 0 of the budget for code=9" + last: OfFramework(
			v1.RetryPolicySpec{MaxRetryCount: 5, Budgets: []v1.RetryBudgetSpec{{Code: new(int32(9))}}}, v1.RetryPolicyStatus{}, failure()),
		"Task w-0: no retry is left by window, 1 failures within 60 s" + last: OfFramework(
			v1.RetryPolicySpec{MaxRetryCount: 5, Window: &v1.RetryWindowSpec{Failures: 1, WithinSec: 60}}, full, failure()),
		"Task w-0: a Permanent failure is not retried; Framework: has a retry left": OfFramework(
			v1.RetryPolicySpec{FancyRetryPolicy: true}, v1.RetryPolicyStatus{}, failure(v1.AttributePermanent)),
		"Framework: has a retry left": OfFramework(v1.RetryPolicySpec{MaxRetryCount: 5}, v1.RetryPolicyStatus{}, failure()),
		"":                            OfFramework(v1.RetryPolicySpec{}, v1.RetryPolicyStatus{}, Ending{Time: now}),
	} {
		verdicts := VerdictsOnTask("w-0", role, task, whole)
		if got := Sentence(verdicts); got != want || len(verdicts) > 3 {
			t.Errorf("got %q of %+v, want %q", got, verdicts, want)
		}
	}
	if got := VerdictsOnTask("w-0", &v1.TaskRoleSpec{Name: "w"}, whole, whole); got != nil {
		t.Errorf("without a field that the original does not have there is %+v", got)
	}
}
