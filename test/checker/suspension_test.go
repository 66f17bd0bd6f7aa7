package checker

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var suspensionOutcome = v1.CompletionStatus{Code: -250, Phrase: "FrameworkSuspended", Type: v1.CompletionType{Name: v1.CompletionFailed,
	Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient}}}

// setSuspend is the change by a user, and observed the status that the controller stores.
func (s *scene) setSuspend(suspend bool) {
	s.store(func(f *v1.Framework) { f.Spec.Suspend, f.Generation = &suspend, f.Generation+1 })
	s.h.Requests[len(s.h.Requests)-1].Agent, s.h.Requests[len(s.h.Requests)-1].Subresource = them, ""
}

func observed(is metav1.ConditionStatus) func(*v1.Framework) {
	return func(f *v1.Framework) {
		f.Status.ObservedGeneration = f.Generation
		f.Status.Conditions = []metav1.Condition{{Type: v1.ConditionSuspended, Status: is}}
	}
}

func retriedFree(s *scene) func(*v1.Framework) {
	return func(f *v1.Framework) {
		f.Status.State, f.Status.RetryPolicyStatus = v1.AttemptCreationPending, v1.RetryPolicyStatus{TotalRetriedCount: 1}
		f.Status.AttemptStatus = s.freshAttempt(1, 1)
	}
}

// suspendedLife has an attempt that ends because it is suspended, and one after it is resumed.
func suspendedLife(end v1.CompletionStatus, resume bool, change ...func(*v1.Framework)) *scene {
	s := newScene(1)
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
	})
	s.createConfigMap()
	s.setSuspend(true)
	cut := v1.CompletionStatus{Code: -220, Phrase: "FrameworkAttemptCompletion", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	s.store(append([]func(*v1.Framework){state(v1.AttemptDeletionPending), attemptDecided(end, nil), decided(0, cut), observed(metav1.ConditionTrue)}, change...)...)
	s.deleteConfigMap()
	s.store(state(v1.AttemptCompleted), taskState(0, v1.Completed))
	if resume {
		s.setSuspend(false)
	}
	s.store(retriedFree(s))
	if resume {
		s.store(observed(metav1.ConditionFalse))
	}
	return s
}

func TestSuspension(t *testing.T) {
	for what, test := range map[string]struct {
		s    *scene
		want Guarantee
		says string // empty if nothing is wrong
	}{
		"as it is to be":      {suspendedLife(suspensionOutcome, true), "", ""},
		"begins all the same": {suspendedLife(suspensionOutcome, false), Suspended, "attempt 1 began while it was suspended"},
		"another code":        {suspendedLife(failure, true), Counters, "was counted: false"},
		"no condition":        {suspendedLife(suspensionOutcome, true, observed(metav1.ConditionFalse)), Suspended, "its condition says otherwise"},
	} {
		var told []string
		for _, v := range Check(test.s.h, Options{}).Violations {
			told = append(told, v.String())
			if v.Guarantee != test.want {
				t.Errorf("%s: %s", what, v)
			}
		}
		if all := strings.Join(told, "\n"); test.says != "" && !strings.Contains(all, test.says) {
			t.Errorf("%s: got %q, want %q", what, all, test.says)
		}
	}
}

// Tasks do not begin while suspended, even if their ConfigMap was created before.
func TestTasksBeginWhileSuspended(t *testing.T) {
	s := newScene(1)
	s.store(func(f *v1.Framework) {
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
	})
	s.setSuspend(true)
	s.createConfigMap()
	for _, v := range Check(s.h, Options{}).Violations {
		if v.Guarantee == Suspended && strings.Contains(v.Evidence, "it became AttemptPreparing") {
			return
		}
	}
	t.Error("nobody was told")
}
