package specwarnings

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func codeBudget(code, n int32) v1.RetryBudgetSpec {
	return v1.RetryBudgetSpec{Code: &code, MaxRetryCount: n}
}

func TestPolicyWarnings(t *testing.T) {
	window := func(failures int32) *v1.RetryWindowSpec {
		return &v1.RetryWindowSpec{Failures: failures, WithinSec: 60}
	}
	transient := v1.RetryBudgetSpec{Attribute: "Transient", MaxRetryCount: 1}
	for what, test := range map[string]struct {
		policy v1.RetryPolicySpec
		want   string // in the warning, without the path; empty if there is none
	}{
		"nothing":      {v1.RetryPolicySpec{}, ""},
		"other causes": {v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{codeBudget(1, 1), codeBudget(2, 1), transient, {Phrase: "Transient"}}}, ""},
		"a code twice": {v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{transient, codeBudget(1, 1), codeBudget(1, 5)}},
			"budgets[2] has the same cause code=1 as budgets[1]"},
		"an attribute twice": {v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{transient, transient}}, "budgets[1] has the same cause attribute=Transient as budgets[0]"},
		"a phrase twice":     {v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{{Phrase: "P"}, {Phrase: "P"}}}, "budgets[1] has the same cause phrase=P as"},
		"one of an older CRD": {v1.RetryPolicySpec{Budgets: []v1.RetryBudgetSpec{
			{Phrase: "P", Attribute: "Transient"}, {Phrase: "P"}}}, ""},
		"a window within the retries": {v1.RetryPolicySpec{MaxRetryCount: 3, Window: window(2)}, ""},
		"a window of all retries":     {v1.RetryPolicySpec{MaxRetryCount: 3, Window: window(3)}, "window.failures 3 is not below maxRetryCount 3"},
		"a window above the retries":  {v1.RetryPolicySpec{MaxRetryCount: 3, Window: window(100)}, "window.failures 100 is not below maxRetryCount 3"},
		"a window without retries":    {v1.RetryPolicySpec{Window: window(1)}, "window.failures 1 is not below maxRetryCount 0"},
		"a window of all failures":    {v1.RetryPolicySpec{MaxRetryCount: -1, Window: window(100)}, ""},
		"a window of a service":       {v1.RetryPolicySpec{MaxRetryCount: -2, Window: window(100)}, ""},
	} {
		spec := &v1.FrameworkSpec{RetryPolicy: test.policy, TaskRoles: []v1.TaskRoleSpec{{Name: "a"}, {Name: "b", Task: v1.TaskSpec{RetryPolicy: test.policy}}}}
		got := retryWarnings(spec)
		switch {
		case test.want == "" && len(got) > 0, test.want != "" && len(got) != 2:
			t.Errorf("%s: got %v", what, got)
		case test.want == "":
		case !strings.HasPrefix(got[0].Message, "retryPolicy."+test.want), !strings.HasPrefix(got[1].Message, "role b: task.retryPolicy."+test.want):
			t.Errorf("%s: got %v", what, got)
		}
	}
}

func TestRestartWarnings(t *testing.T) {
	for what, test := range map[string]struct {
		policy v1.RetryPolicySpec
		warned bool
	}{
		"alone":                {v1.RetryPolicySpec{Restart: v1.RestartTask}, false},
		"the role":             {v1.RetryPolicySpec{Restart: v1.RestartRole}, true},
		"the Framework":        {v1.RetryPolicySpec{Restart: v1.RestartFramework}, true},
		"with a retry":         {v1.RetryPolicySpec{Restart: v1.RestartRole, MaxRetryCount: 1}, false},
		"a fancy policy":       {v1.RetryPolicySpec{Restart: v1.RestartRole, FancyRetryPolicy: true}, false},
		"with a budget":        {v1.RetryPolicySpec{Restart: v1.RestartRole, Budgets: []v1.RetryBudgetSpec{codeBudget(1, -1)}}, false},
		"with an empty budget": {v1.RetryPolicySpec{Restart: v1.RestartRole, Budgets: []v1.RetryBudgetSpec{codeBudget(1, 0)}}, true},
	} {
		got := retryWarnings(&v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "b", Task: v1.TaskSpec{RetryPolicy: test.policy}}}})
		if want := "role b: task.retryPolicy.restart is " + string(test.policy.Restart); test.warned != (len(got) == 1) ||
			test.warned && !strings.HasPrefix(got[0].Message, want) {
			t.Errorf("%s: got %v", what, got)
		}
	}
}

func TestRoleRetryWarnings(t *testing.T) {
	for what, test := range map[string]struct {
		policy v1.RetryPolicySpec
		ofRole *v1.RoleRetryPolicySpec
		want   string // empty if there is no warning
	}{
		"no retries of Tasks":         {v1.RetryPolicySpec{}, &v1.RoleRetryPolicySpec{MaxRetryCount: 3}, ""},
		"a restart that has retries":  {v1.RetryPolicySpec{Restart: v1.RestartRole}, &v1.RoleRetryPolicySpec{MaxRetryCount: 3}, ""},
		"a restart that has none":     {v1.RetryPolicySpec{Restart: v1.RestartRole}, &v1.RoleRetryPolicySpec{}, "role b: task.retryPolicy.restart is Role"},
		"endless retries of Tasks":    {v1.RetryPolicySpec{MaxRetryCount: -1}, &v1.RoleRetryPolicySpec{MaxRetryCount: 3}, "role b: retryPolicy.maxRetryCount is 3, but task.retryPolicy.maxRetryCount -1"},
		"endless, with nothing more":  {v1.RetryPolicySpec{MaxRetryCount: -1}, &v1.RoleRetryPolicySpec{}, ""},
		"endless, within a window":    {v1.RetryPolicySpec{MaxRetryCount: -1, Window: &v1.RetryWindowSpec{Failures: 1, WithinSec: 1}}, &v1.RoleRetryPolicySpec{MaxRetryCount: 3}, ""},
		"endless, but for one budget": {v1.RetryPolicySpec{MaxRetryCount: -1, Budgets: []v1.RetryBudgetSpec{codeBudget(1, 0)}}, &v1.RoleRetryPolicySpec{MaxRetryCount: 3}, ""},
	} {
		got := retryWarnings(&v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "b", RetryPolicy: test.ofRole, Task: v1.TaskSpec{RetryPolicy: test.policy}}}})
		if (test.want != "") != (len(got) == 1) || len(got) == 1 && !strings.HasPrefix(got[0].Message, test.want) {
			t.Errorf("%s: got %v", what, got)
		}
	}
}

func TestDeadlineWarnings(t *testing.T) {
	timeout := &v1.SchedulingSpec{TimeoutSec: new(int32(300))}
	for what, test := range map[string]struct {
		scheduling *v1.SchedulingSpec
		deadline   *v1.StartDeadlineSpec
		warned     bool
	}{
		"no scheduling": {nil, &v1.StartDeadlineSpec{UnscheduledSec: 600}, false},
		"no timeout":    {&v1.SchedulingSpec{}, &v1.StartDeadlineSpec{UnscheduledSec: 600}, false},
		"no deadline":   {timeout, nil, false},
		"another one":   {timeout, &v1.StartDeadlineSpec{NotRunningSec: 600}, false},
		"as long":       {timeout, &v1.StartDeadlineSpec{UnscheduledSec: 300}, false},
		"longer":        {timeout, &v1.StartDeadlineSpec{UnscheduledSec: 301}, true},
	} {
		got := retryWarnings(&v1.FrameworkSpec{Scheduling: test.scheduling, TaskRoles: []v1.TaskRoleSpec{{Name: "b", Task: v1.TaskSpec{StartDeadline: test.deadline}}}})
		if test.warned != (len(got) == 1) || test.warned && !strings.HasPrefix(got[0].Message, "role b: task.startDeadline.unscheduledSec 301 is above scheduling.timeoutSec 300") {
			t.Errorf("%s: got %v", what, got)
		}
	}
}

func TestActiveDeadlineWarnings(t *testing.T) {
	for what, test := range map[string]struct {
		framework, task *int64
		warned          bool
	}{
		"none":          {nil, nil, false},
		"of the Task":   {nil, new(int64(5)), false},
		"a shorter one": {new(int64(6)), new(int64(5)), false},
		"as long":       {new(int64(5)), new(int64(5)), true},
		"a longer one":  {new(int64(5)), new(int64(6)), true},
		"of the rest":   {new(int64(5)), nil, false},
	} {
		got := retryWarnings(&v1.FrameworkSpec{ActiveDeadlineSeconds: test.framework, TaskRoles: []v1.TaskRoleSpec{{Name: "b", Task: v1.TaskSpec{ActiveDeadlineSeconds: test.task}}}})
		if test.warned != (len(got) == 1) || test.warned && !strings.HasPrefix(got[0].Message, "role b: task.activeDeadlineSeconds ") {
			t.Errorf("%s: got %v", what, got)
		}
	}
}

func TestTTLWarnings(t *testing.T) {
	zero := new(int32)
	for what, test := range map[string]struct {
		spec   v1.FrameworkSpec
		warned bool
	}{
		"for both, and in general": {v1.FrameworkSpec{TTLSecondsAfterFinished: zero, TTLSecondsAfter: &v1.TTLSecondsAfterSpec{Succeeded: zero, Failed: zero}}, true},
		"for one, and in general":  {v1.FrameworkSpec{TTLSecondsAfterFinished: zero, TTLSecondsAfter: &v1.TTLSecondsAfterSpec{Failed: zero}}, false},
		"for both":                 {v1.FrameworkSpec{TTLSecondsAfter: &v1.TTLSecondsAfterSpec{Succeeded: zero, Failed: zero}}, false},
		"in general":               {v1.FrameworkSpec{TTLSecondsAfterFinished: zero}, false},
	} {
		if got := retryWarnings(&test.spec); test.warned != (len(got) == 1) {
			t.Errorf("%s: got %v", what, got)
		}
	}
}
