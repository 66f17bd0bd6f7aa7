package specwarnings

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestGangWarnings(t *testing.T) {
	perRole := func(role string, n int32) []v1.RoleGangSpec { return []v1.RoleGangSpec{{Role: role, MinTasks: n}} }
	for what, test := range map[string]struct {
		scheduling *v1.SchedulingSpec
		want       string // in the only warning; empty if there is none
	}{
		"no scheduling":            {nil, ""},
		"no gang":                  {&v1.SchedulingSpec{}, ""},
		"all Tasks":                {&v1.SchedulingSpec{Gang: &v1.GangSpec{}}, ""},
		"as many as there are":     {&v1.SchedulingSpec{Gang: &v1.GangSpec{MinTasks: new(int32(5))}}, ""},
		"more than there are":      {&v1.SchedulingSpec{Gang: &v1.GangSpec{MinTasks: new(int32(6))}}, "minTasks 6 is above 5, the total number of Tasks"},
		"all of a role":            {&v1.SchedulingSpec{Gang: &v1.GangSpec{PerRole: perRole("a", 3)}}, ""},
		"more than a role has":     {&v1.SchedulingSpec{Gang: &v1.GangSpec{PerRole: perRole("a", 4)}}, "role a: minTasks 4"},
		"a role that has none yet": {&v1.SchedulingSpec{Gang: &v1.GangSpec{PerRole: perRole("c", 4)}}, ""},
		"a role that is not there": {&v1.SchedulingSpec{Gang: &v1.GangSpec{PerRole: perRole("x", 1)}}, "role x"},
	} {
		spec := &v1.FrameworkSpec{Scheduling: test.scheduling,
			TaskRoles: []v1.TaskRoleSpec{{Name: "a", TaskNumber: 3}, {Name: "b", TaskNumber: 2}, {Name: "c"}}}
		got := gangWarnings(spec)
		switch {
		case test.want == "" && len(got) > 0, test.want != "" && len(got) != 1:
			t.Errorf("%s: got %v", what, got)
		case test.want != "" && !strings.Contains(got[0].Message, test.want):
			t.Errorf("%s: got %q", what, got[0].Message)
		}
	}
}
