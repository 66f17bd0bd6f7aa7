package deadline_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

var noon = time.Unix(1700000000, 0).UTC()

func at(sec int) *metav1.Time { return &metav1.Time{Time: noon.Add(time.Duration(sec) * time.Second)} }

func TestSince(t *testing.T) {
	for name, c := range map[string]struct {
		stored *v1.PendingSince
		pod    deadline.Pod
		want   *v1.PendingSince
	}{
		"nothing keeps it":     {stored: &v1.PendingSince{NotRunning: at(-9)}, pod: deadline.Pod{HasNode: true}},
		"no node":              {pod: deadline.Pod{Stall: reason.Unschedulable}, want: &v1.PendingSince{Unscheduled: at(0)}},
		"no scheduler":         {pod: deadline.Pod{Stall: reason.PodNotScheduled}, want: &v1.PendingSince{Unscheduled: at(0)}},
		"it has a node by now": {pod: deadline.Pod{Stall: reason.Unschedulable, HasNode: true}},
		"two kinds, one of them for long": {stored: &v1.PendingSince{NotRunning: at(-9), Unscheduled: at(-20)},
			pod: deadline.Pod{HasNode: true, Stall: reason.ImageNotPulled, Unstarted: true}, want: &v1.PendingSince{NotRunning: at(-9), ImagePull: at(0)}},
		"a time in the future": {stored: &v1.PendingSince{ContainerCreate: at(1)}, pod: deadline.Pod{Stall: reason.ContainerNotStarted},
			want: &v1.PendingSince{ContainerCreate: at(0)}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := deadline.Since(c.stored, c.pod, noon); !deadline.Equal(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	spec := &v1.StartDeadlineSpec{ImagePullSec: 100, NotRunningSec: 50}
	status := &v1.CompletionStatus{Code: 7}
	verdict := func(v deadline.Verdict) *deadline.Verdict {
		v.PodUID, v.Kind, v.Since = "u", "ImagePull", *at(0)
		return &v
	}
	type decision struct {
		over   completion.Code
		judged bool
		ask    string
		lookAt *metav1.Time
	}
	for name, c := range map[string]struct {
		after   int
		ask     bool
		spec    *v1.StartDeadlineSpec
		verdict *deadline.Verdict
		want    decision
	}{
		"no deadline for it":                    {after: 1000, spec: &v1.StartDeadlineSpec{UnscheduledSec: 1}},
		"before the first":                      {after: 49, want: decision{lookAt: at(50)}},
		"the first is over":                     {after: 50, want: decision{over: completion.CodePodStartTimeout}},
		"plugins are asked once it lasts":       {after: 10, ask: true, want: decision{lookAt: at(30)}},
		"and it has lasted":                     {after: 30, ask: true, want: decision{ask: "ImagePull"}},
		"or at a deadline before that":          {after: 20, ask: true, spec: &v1.StartDeadlineSpec{ImagePullSec: 20}, want: decision{ask: "ImagePull"}},
		"a verdict ends it":                     {after: 31, ask: true, verdict: verdict(deadline.Verdict{Status: status}), want: decision{judged: true}},
		"a verdict lets it take longer":         {after: 60, ask: true, verdict: verdict(deadline.Verdict{Until: at(90).Time}), want: decision{lookAt: at(90)}},
		"and is asked for again":                {after: 90, ask: true, verdict: verdict(deadline.Verdict{Until: at(90).Time}), want: decision{ask: "ImagePull"}},
		"without opinion the deadline decides":  {after: 40, ask: true, verdict: verdict(deadline.Verdict{}), want: decision{lookAt: at(50)}},
		"and is over":                           {after: 51, ask: true, verdict: verdict(deadline.Verdict{}), want: decision{over: completion.CodePodStartTimeout}},
		"a verdict on another Pod is ignored":   {after: 31, ask: true, verdict: &deadline.Verdict{PodUID: "x", Kind: "ImagePull", Since: *at(0), Status: status}, want: decision{ask: "ImagePull"}},
		"a verdict on another kind, too":        {after: 31, ask: true, verdict: &deadline.Verdict{PodUID: "u", Kind: "NotRunning", Since: *at(0), Status: status}, want: decision{ask: "ImagePull"}},
		"a verdict counts only if it was asked": {after: 1, verdict: verdict(deadline.Verdict{Status: status}), want: decision{lookAt: at(50)}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.spec == nil {
				c.spec = spec
			}
			d := deadline.Decide(deadline.Case{Spec: c.spec, Pending: &v1.PendingSince{ImagePull: at(0), NotRunning: at(0)}, Now: at(c.after).Time,
				AskPlugins: c.ask, Patience: 30 * time.Second, PodUID: "u", Verdict: c.verdict})
			got := decision{judged: d.Judged}
			if d.Over != nil {
				got.over = d.Over.Code
			}
			if d.Ask != nil {
				got.ask = d.Ask.Name
			}
			if !d.LookAt.IsZero() {
				got.lookAt = &metav1.Time{Time: d.LookAt}
			}
			if got.over != c.want.over || got.judged != c.want.judged || got.ask != c.want.ask || !got.lookAt.Equal(c.want.lookAt) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestPendingOf(t *testing.T) {
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "w", Task: v1.TaskSpec{StartDeadline: &v1.StartDeadlineSpec{NotRunningSec: 50}}}, {Name: "x"}}}
	task := &v1.TaskStatus{}
	if p, ok := deadline.PendingOf(spec, "w", task); ok {
		t.Errorf("nothing is stored: %+v", p)
	}
	task.AttemptStatus.PendingSince = &v1.PendingSince{ImagePull: at(5), NotRunning: at(0)}
	p, ok := deadline.PendingOf(spec, "w", task)
	if !ok || p.Kind != "ImagePull" || !p.Since.Equal(at(5)) || p.Field != "notRunningSec" || !p.Deadline.Equal(at(50).Time) {
		t.Errorf("%+v, %v", p, ok)
	}
	for _, role := range []string{"x", "none"} {
		if p, ok := deadline.PendingOf(spec, role, task); ok {
			t.Errorf("role %s has no deadline: %+v", role, p)
		}
	}
}
