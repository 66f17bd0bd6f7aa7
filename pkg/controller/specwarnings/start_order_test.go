package specwarnings

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var withBarrier = v1.PodTemplate(`{"spec":{"initContainers":[{"name":"barrier"}],"containers":[{"name":"c"}]}}`)

func TestStartOrderWarnings(t *testing.T) {
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "a"}, {Name: "b", StartAfter: []v1.StartAfterSpec{{Role: "a"}, {Role: "nobody", When: v1.StartReady}}, Task: v1.TaskSpec{Pod: withBarrier}},
	}}
	got := startOrderWarnings(spec)
	if len(got) != 1 || got[0].Role != "b" || !strings.Contains(got[0].Message, "startAfter names role nobody, which is not in taskRoles") {
		t.Errorf("got %v", got)
	}
	spec.TaskRoles[1].StartAfter = spec.TaskRoles[1].StartAfter[:1]
	if got := startOrderWarnings(spec); got != nil {
		t.Errorf("got %v", got)
	}
}

// Roles whose Pods would have to wait themselves, and contain nothing that waits.
func TestStartIsNotHeld(t *testing.T) {
	without := v1.PodTemplate(`{"spec":{"initContainers":[],"containers":[{"name":"c"}]}}`)
	for what, test := range map[string]struct {
		when   []v1.StartWhen
		pod    v1.PodTemplate
		warned bool
	}{
		"with a barrier":         {[]v1.StartWhen{v1.StartRunning}, withBarrier, false},
		"without":                {[]v1.StartWhen{v1.StartRunning}, without, true},
		"by default":             {[]v1.StartWhen{""}, without, true},
		"addressed":              {[]v1.StartWhen{v1.StartAddressed}, without, true},
		"ready":                  {[]v1.StartWhen{v1.StartReady}, without, true},
		"succeeded":              {[]v1.StartWhen{v1.StartSucceeded}, without, false},
		"succeeded, and another": {[]v1.StartWhen{v1.StartSucceeded, v1.StartReady}, without, true},
		"after nobody":           {nil, without, false},
		"no template":            {[]v1.StartWhen{v1.StartReady}, nil, true},
		"one that is none":       {[]v1.StartWhen{v1.StartReady}, v1.PodTemplate(`[]`), false},
	} {
		b := v1.TaskRoleSpec{Name: "b", Task: v1.TaskSpec{Pod: test.pod}}
		for _, when := range test.when {
			b.StartAfter = append(b.StartAfter, v1.StartAfterSpec{Role: "a", When: when})
		}
		got := startOrderWarnings(&v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "a"}, b}})
		if test.warned != (len(got) == 1) || test.warned && !strings.HasPrefix(got[0].Message, "role b: its Pod template has no init container") {
			t.Errorf("%s: got %v", what, got)
		}
	}
}
