package specwarnings

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// retryWarnings finds contradictions in retry policies, deadlines and completion containers; one warning for each role that has
// any. They are not rejected, because stored specs contain them.
func retryWarnings(spec *v1.FrameworkSpec) (out []Warning) {
	if flaws := policyFlaws(&spec.RetryPolicy); len(flaws) > 0 {
		out = append(out, Warning{reason.FieldWithoutEffect, "", "retryPolicy." + strings.Join(flaws, "; retryPolicy.")})
	}
	if after := spec.TTLSecondsAfter; after != nil && after.Succeeded != nil && after.Failed != nil && spec.TTLSecondsAfterFinished != nil {
		out = append(out, Warning{reason.FieldWithoutEffect, "", "ttlSecondsAfter has a time for each outcome, so ttlSecondsAfterFinished is never used; remove one of the two"})
	}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		var flaws []string
		for _, flaw := range policyFlaws(&role.Task.RetryPolicy) {
			flaws = append(flaws, "task.retryPolicy."+flaw)
		}
		flaws = append(flaws, restartFlaws(role)...)
		flaws = append(flaws, roleFlaws(role)...)
		flaws = append(flaws, deadlineFlaws(spec.Scheduling, role.Task.StartDeadline)...)
		flaws = append(flaws, activeDeadlineFlaws(spec.ActiveDeadlineSeconds, role.Task.ActiveDeadlineSeconds)...)
		flaws = append(flaws, completionFlaws(role)...)
		flaws = append(flaws, memoryFlaws(spec, role)...)
		if len(flaws) > 0 {
			out = append(out, Warning{reason.FieldWithoutEffect, role.Name, fmt.Sprintf("role %s: %s", role.Name, strings.Join(flaws, "; "))})
		}
	}
	return out
}

// policyFlaws names fields of a retry policy that never take effect. For budgets with the same cause it names only the first
// superfluous one: there may be 19.
func policyFlaws(p *v1.RetryPolicySpec) (flaws []string) {
	if i, first := repeatedBudget(p.Budgets); i > 0 {
		flaws = append(flaws, fmt.Sprintf("budgets[%d] has the same cause %s as budgets[%d], which alone decides; remove one of them",
			i, retry.BudgetCause(&p.Budgets[i]), first))
	}
	if w := p.Window; w != nil && p.MaxRetryCount >= 0 && w.Failures >= p.MaxRetryCount {
		flaws = append(flaws, fmt.Sprintf(
			"window.failures %d is not below maxRetryCount %d, so the window never decides; lower it, or raise maxRetryCount, or set that to -1",
			w.Failures, p.MaxRetryCount))
	}
	return flaws
}

// repeatedBudget returns the first budget with the cause of an earlier one, and that earlier one; zeros if there is none. An
// older CRD may have admitted budgets with several criteria, so all of them are compared.
func repeatedBudget(budgets []v1.RetryBudgetSpec) (i, first int) {
	for i := range budgets {
		first := slices.IndexFunc(budgets[:i], func(b v1.RetryBudgetSpec) bool {
			return retry.BudgetCause(&b) == retry.BudgetCause(&budgets[i]) && b.Phrase == budgets[i].Phrase && b.Attribute == budgets[i].Attribute
		})
		if first >= 0 {
			return i, first
		}
	}
	return 0, 0
}

// restartFlaws finds a restart scope in a policy without retries. A fancy policy retries transient failures.
func restartFlaws(role *v1.TaskRoleSpec) []string {
	p := &role.Task.RetryPolicy
	together := p.Restart == v1.RestartRole || p.Restart == v1.RestartFramework
	if !together || retries(p) || role.RetryPolicy != nil && role.RetryPolicy.MaxRetryCount != 0 {
		return nil
	}
	return []string{fmt.Sprintf("task.retryPolicy.restart is %s, but maxRetryCount 0 means no retries, so nothing is restarted; raise it, or add budgets", p.Restart)}
}

// roleFlaws finds a retry policy of a role whose Tasks never use up their own retries.
func roleFlaws(role *v1.TaskRoleSpec) []string {
	p := &role.Task.RetryPolicy
	endless := p.MaxRetryCount < 0 && p.Window == nil &&
		!slices.ContainsFunc(p.Budgets, func(b v1.RetryBudgetSpec) bool { return b.MaxRetryCount >= 0 })
	if role.RetryPolicy == nil || role.RetryPolicy.MaxRetryCount == 0 || !endless {
		return nil
	}
	return []string{fmt.Sprintf("retryPolicy.maxRetryCount is %d, but task.retryPolicy.maxRetryCount %d means unlimited retries, so the role's policy is never used; lower that, or add a window",
		role.RetryPolicy.MaxRetryCount, p.MaxRetryCount)}
}

// deadlineFlaws finds a deadline after the end of the attempt. It still applies to Pods created after the gang was placed.
func deadlineFlaws(scheduling *v1.SchedulingSpec, d *v1.StartDeadlineSpec) []string {
	if scheduling == nil || scheduling.TimeoutSec == nil || d == nil || d.UnscheduledSec <= *scheduling.TimeoutSec {
		return nil
	}
	return []string{fmt.Sprintf("task.startDeadline.unscheduledSec %d is above scheduling.timeoutSec %d, "+
		"so the attempt ends first unless all Tasks were placed once; lower it, or raise scheduling.timeoutSec", d.UnscheduledSec, *scheduling.TimeoutSec)}
}

// activeDeadlineFlaws finds a deadline of Tasks that exceeds the Framework's.
func activeDeadlineFlaws(framework, task *int64) []string {
	if framework == nil || task == nil || *task < *framework {
		return nil
	}
	return []string{fmt.Sprintf("task.activeDeadlineSeconds %d is not below spec.activeDeadlineSeconds %d, which ends the whole Framework no later; lower it, or raise spec.activeDeadlineSeconds",
		*task, *framework)}
}
