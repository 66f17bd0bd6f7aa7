package specwarnings

import (
	"reflect"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestSpecWarnings(t *testing.T) {
	role := func(change func(*v1.TaskRoleSpec)) *v1.TaskRoleSpec {
		r := &v1.TaskRoleSpec{Name: "w", TaskNumber: 10, FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{
			MinFailedTaskCount: 1, MinSucceededTaskCount: 10}}
		change(r)
		return r
	}
	for _, test := range []struct {
		name      string
		framework string
		role      *v1.TaskRoleSpec
		want      []string
	}{
		{"fine", "f", role(func(*v1.TaskRoleSpec) {}), nil},
		{"more successes than Tasks", "f", role(func(r *v1.TaskRoleSpec) { r.TaskNumber = 9 }), []string{"SuccessUnreachable"}},
		{"more failures than Tasks", "f", role(func(r *v1.TaskRoleSpec) { r.FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 11 }),
			[]string{"FailureUnreachable"}},
		{"as many failures as Tasks", "f", role(func(r *v1.TaskRoleSpec) { r.FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 10 }), nil},
		{"as long as can be", strings.Repeat("f", 59), role(func(*v1.TaskRoleSpec) {}), nil},
		{"the last Task's name is too long", strings.Repeat("f", 59), role(func(r *v1.TaskRoleSpec) { r.TaskNumber = 11 }),
			[]string{"HostnameTruncated"}},
		{"too long, with a hostname", strings.Repeat("f", 60), role(func(r *v1.TaskRoleSpec) {
			r.Task.Pod = []byte(`{"spec": {"hostname": "w-{{FC_TASK_INDEX}}"}}`)
		}), nil},
		{"no Tasks", "f", role(func(r *v1.TaskRoleSpec) {
			r.TaskNumber, r.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount = 0, -1
		}), nil},
	} {
		var got []string
		for _, d := range roleWarnings(test.framework, test.role) {
			got = append(got, string(d.Reason))
			if !strings.Contains(d.Message, "role w") {
				t.Errorf("%s: the message does not name the role: %s", test.name, d.Message)
			}
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestWarningOfRolesWithOneName(t *testing.T) {
	got := duplicates([]v1.TaskRoleSpec{{Name: "a"}, {Name: "b"}, {Name: "a"}, {Name: "a"}})
	if len(got) != 2 || !strings.HasPrefix(got[0].Message, "taskRoles[2]: the name a is already used by taskRoles[0]") || !strings.HasPrefix(got[1].Message, "taskRoles[3]") {
		t.Errorf("got %q", got)
	}
}
