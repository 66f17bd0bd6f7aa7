package lifecycle_test

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawSuspended: while suspended, nothing is created, and nothing visible continues; the retry after the suspension costs nothing
// and has no delay. The condition reports the suspension.
func (c *checker) lawSuspended(in lifecycle.Input, out lifecycle.Output) {
	suspended := naiveSuspended(in.Framework.Spec)
	c.suspended = suspended
	status := out.State.Framework()
	if live := status.State == v1.AttemptPreparing || status.State == v1.AttemptRunning; suspended && live && showsConfigMap(in.Observed, status) && in.Observed.ConfigMap.Gone == "" {
		c.violationf("suspended: nothing goes on", "%s", text(out.State.Status()))
	}
	for _, action := range out.Actions {
		if suspended && creates(action) {
			c.violationf("suspended: nothing is created", "%s", action)
		}
	}
	if says := saysSuspended(status.Conditions); says != (suspended && status.State != v1.Completed) {
		c.violationf("suspended: the condition says so", "%s", text(status.Conditions))
	}
	c.lawResumed(in, out)
}

func (c *checker) lawResumed(in lifecycle.Input, out lifecycle.Output) {
	outcome := out.State.Framework().AttemptStatus.CompletionStatus
	if outcome != nil && outcome.Phrase == "FrameworkSuspended" && out.State.Framework().RetryPolicyStatus.RetryDelaySec != nil {
		c.violationf("resumed: without a delay", "%s", text(out.State.Status()))
	}
	for _, move := range out.Moves {
		switch {
		case move.Row == "F16" && naiveSuspended(in.Framework.Spec):
			c.violationf("suspended: no attempt begins", "%s", text(out.State.Status()))
		case move.Row == "F14" && outcome.Phrase == "FrameworkSuspended":
			c.violationf("suspended: it is not the end", "%s", text(out.State.Status()))
		case move.Retry == "R0a":
			before, after := in.Saved.Framework().RetryPolicyStatus, out.State.Framework().RetryPolicyStatus
			if after.AccountableRetriedCount != before.AccountableRetriedCount {
				c.violationf("resumed: not counted", "%s -> %s", text(before), text(after))
			}
		}
	}
}

func naiveSuspended(spec *v1.FrameworkSpec) bool {
	return spec.ExecutionType != "Stop" && spec.Suspend != nil && *spec.Suspend
}

func creates(action lifecycle.Action) bool {
	switch action.(type) {
	case lifecycle.CreateConfigMap, lifecycle.CreatePod, lifecycle.AskHints, lifecycle.PrepareHints:
		return true
	}
	return false
}

func saysSuspended(conditions []metav1.Condition) bool {
	return meta.IsStatusConditionTrue(conditions, "Suspended")
}
