package checker

import (
	"encoding/json"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Pod created before the admission is reported, one created after it is not, and neither is one without a scheduler to wait for.
func TestAdmission(t *testing.T) {
	for what, test := range map[string]struct {
		hints      *v1.SchedulerHints
		violations int
		checks     int
		uses       []v1.PluginUse
	}{
		"no scheduler":        {nil, 0, 0, nil},
		"one that is polled":  {&v1.SchedulerHints{Answer: json.RawMessage(`{"wait":true}`)}, 0, 0, nil},
		"it has not admitted": {&v1.SchedulerHints{Answer: json.RawMessage(`{"wait":true,"watch":true}`)}, 1, 1, nil},
		"it is left out":      {&v1.SchedulerHints{Plugin: "p", Answer: json.RawMessage(`{"wait":true,"watch":true}`)}, 0, 0, []v1.PluginUse{{Name: "p", Disabled: true}}},
		"it has":              {&v1.SchedulerHints{Answer: json.RawMessage(`{"wait":true,"watch":true}`), Admission: json.RawMessage(`{"yes":true}`)}, 0, 1, nil},
	} {
		s := newScene(1)
		s.store(func(f *v1.Framework) {
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
		})
		s.createConfigMap()
		s.f.Spec.Plugins = test.uses
		s.store(func(f *v1.Framework) { f.Status.AttemptStatus.SchedulerHints = test.hints })
		s.run(0)
		report := Check(s.h, Options{})
		if n := report.Checks[Admitted]; n != test.checks {
			t.Errorf("%s: %d checks", what, n)
		}
		if len(report.Violations) != test.violations {
			t.Errorf("%s: %v", what, report.Violations)
		}
		for _, v := range report.Violations {
			if v.Guarantee != Admitted {
				t.Errorf("%s: %s", what, v)
			}
		}
	}
}
