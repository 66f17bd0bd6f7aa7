package specwarnings

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A barrier in a role whose Tasks do not all run at once is reported; other init containers are not.
func TestBarrierInTurns(t *testing.T) {
	for image, warned := range map[string]bool{"registry.example.com/frameworkbarrier:v1": true, "busybox": false} {
		for parallelism, fewer := range map[int32]bool{1: true, 3: false, 9: false} {
			spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "a", TaskNumber: 3, Parallelism: &parallelism,
				Task: v1.TaskSpec{Pod: v1.PodTemplate(fmt.Sprintf(`{"spec":{"initContainers":[{"name":"b","image":%q}]}}`, image))}}}}
			got := parallelismWarnings(spec)
			if want := warned && fewer; want != (len(got) == 1) {
				t.Errorf("%s, parallelism %d: %v", image, parallelism, got)
			} else if want && !strings.Contains(got[0].Message, "only 1 of 3 Tasks run at once") {
				t.Errorf("%s", got[0].Message)
			}
		}
	}
}

// The minimum of a gang counts against the Tasks that may run at once.
func TestGangAboveParallelism(t *testing.T) {
	roles := func() []v1.TaskRoleSpec {
		return []v1.TaskRoleSpec{{Name: "a", TaskNumber: 10, Parallelism: new(int32(2))}, {Name: "b", TaskNumber: 1}}
	}
	for _, test := range []struct {
		gang v1.GangSpec
		want string // empty if there is no warning
	}{
		{v1.GangSpec{MinTasks: new(int32(3))}, ""},
		{v1.GangSpec{MinTasks: new(int32(4))}, "minTasks 4 is above 3, the number of Tasks that may run at once"},
		{v1.GangSpec{MinTasks: new(int32(12))}, "minTasks 12 is above 11, the total number"},
		{v1.GangSpec{PerRole: []v1.RoleGangSpec{{Role: "a", MinTasks: 2}}}, ""},
		{v1.GangSpec{PerRole: []v1.RoleGangSpec{{Role: "a", MinTasks: 3}}}, "role a: minTasks 3 in scheduling.gang.perRole is above parallelism 2"},
	} {
		got := gangWarnings(&v1.FrameworkSpec{Scheduling: &v1.SchedulingSpec{Gang: &test.gang}, TaskRoles: roles()})
		if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, test.want)) {
			t.Errorf("%+v: %v, want %q", test.gang, got, test.want)
		}
	}
}
