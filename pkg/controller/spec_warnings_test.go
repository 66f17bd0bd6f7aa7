package controller

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
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
			got = append(got, d.reason)
			if !strings.Contains(d.message, "role w") {
				t.Errorf("%s: the message does not name the role: %s", test.name, d.message)
			}
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestWarningOfRolesWithOneName(t *testing.T) {
	got := duplicates([]v1.TaskRoleSpec{{Name: "a"}, {Name: "b"}, {Name: "a"}, {Name: "a"}})
	if len(got) != 2 || !strings.HasPrefix(got[0].message, "taskRoles[2]: role a is taskRoles[0]") || !strings.HasPrefix(got[1].message, "taskRoles[3]") {
		t.Errorf("got %q", got)
	}
}

// unreachableSuccess asks for more successes than there are Tasks.
func unreachableSuccess(s *v1.FrameworkSpec) {
	s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinSucceededTaskCount = 9
}

// editSpec changes a Framework's spec as users do.
func (w *world) editSpec(framework string, value any, path ...string) {
	w.Edit(apitest.Frameworks, framework, func(o *unstructured.Unstructured) {
		roles, _, _ := unstructured.NestedSlice(o.Object, "spec", "taskRoles")
		_ = unstructured.SetNestedField(roles[0].(map[string]any), value, path...)
		_ = unstructured.SetNestedSlice(o.Object, roles, "spec", "taskRoles")
		o.SetGeneration(o.GetGeneration() + 1)
	})
}

// What looks like a mistake in a spec is told when the spec is new, and not by each controller that starts.
func TestSpecWarningsAreToldOnce(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", unreachableSuccess)
	w.warnedOnce("a", "SuccessUnreachable")
	w.restart()
	w.create("b")
	w.runs("b")
	w.never("it is told again", func() bool { return w.warnings("a")["SuccessUnreachable"] > 1 })
	w.editSpec("a", int64(8), "frameworkAttemptCompletionPolicy", "minSucceededTaskCount")
	w.eventually("the new spec is warned of, too", func() bool { return w.warnings("a")["SuccessUnreachable"] == 2 })
}

// What was edited while no controller ran is new, unless it does not matter any more.
func TestWarningsOfWhatWasEditedMeanwhile(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("runs")
	w.running("ended")
	w.EndPod("ended-w-0", 0)
	w.reaches("ended", v1.Completed)
	w.stop()
	for _, name := range []string{"runs", "ended"} {
		w.editSpec(name, int64(9), "frameworkAttemptCompletionPolicy", "minSucceededTaskCount")
	}
	w.start()
	w.warnedOnce("runs", "SuccessUnreachable")
	if n := w.warnings("ended")["SuccessUnreachable"]; n != 0 {
		t.Errorf("%d warnings of what has ended", n)
	}
}
