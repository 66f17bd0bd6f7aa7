package controller

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestStartOrderWarnings(t *testing.T) {
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "a"}, {Name: "b", StartAfter: []v1.StartAfterSpec{{Role: "a"}, {Role: "nobody", When: v1.StartReady}}},
	}}
	got := startOrderWarnings(spec)
	if len(got) != 1 || got[0].role != "b" || !strings.Contains(got[0].message, "startAfter names role nobody, which is not in taskRoles") {
		t.Errorf("got %v", got)
	}
	spec.TaskRoles[1].StartAfter = spec.TaskRoles[1].StartAfter[:1]
	if got := startOrderWarnings(spec); got != nil {
		t.Errorf("got %v", got)
	}
}
