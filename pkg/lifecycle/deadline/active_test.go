package deadline_test

import (
	"math"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
)

func TestActive(t *testing.T) {
	now := at(100)
	tests := map[string]struct {
		stored  *v1.ActiveTimeStatus
		running *metav1.Time
		want    v1.ActiveTimeStatus
	}{
		"nothing has run":            {nil, nil, v1.ActiveTimeStatus{}},
		"set while it runs":          {nil, at(40), v1.ActiveTimeStatus{Since: at(40)}},
		"begins to run":              {&v1.ActiveTimeStatus{Seconds: 7}, at(100), v1.ActiveTimeStatus{Seconds: 7, Since: at(100)}},
		"runs on":                    {&v1.ActiveTimeStatus{Seconds: 7, Since: at(50)}, at(40), v1.ActiveTimeStatus{Seconds: 7, Since: at(50)}},
		"ends":                       {&v1.ActiveTimeStatus{Seconds: 7, Since: at(50)}, nil, v1.ActiveTimeStatus{Seconds: 57}},
		"does not run":               {&v1.ActiveTimeStatus{Seconds: 7}, nil, v1.ActiveTimeStatus{Seconds: 7}},
		"the clock was put back":     {&v1.ActiveTimeStatus{Since: at(500)}, at(500), v1.ActiveTimeStatus{Since: at(100)}},
		"ends after it was put back": {&v1.ActiveTimeStatus{Seconds: 7, Since: at(500)}, nil, v1.ActiveTimeStatus{Seconds: 7}},
		"set after it was put back":  {nil, at(500), v1.ActiveTimeStatus{Since: at(100)}},
	}
	for name, tt := range tests {
		got := deadline.Active(tt.stored, tt.running, now.Time)
		if got.Seconds != tt.want.Seconds || !got.Since.Equal(tt.want.Since) {
			t.Errorf("%s: %+v, not %+v", name, got, tt.want)
		}
		if again := deadline.Active(got, tt.running, now.Time); again != got {
			t.Errorf("%s: the same facts make another record: %+v", name, again)
		}
	}
}

func TestActiveEnd(t *testing.T) {
	tests := map[string]struct {
		record *v1.ActiveTimeStatus
		limit  int64
		end    time.Time
		over   bool
	}{
		"nothing is stored":            {nil, 60, time.Time{}, false},
		"does not run, time is left":   {&v1.ActiveTimeStatus{Seconds: 59}, 60, time.Time{}, false},
		"does not run, none is left":   {&v1.ActiveTimeStatus{Seconds: 60}, 60, time.Time{}, true},
		"runs":                         {&v1.ActiveTimeStatus{Seconds: 10, Since: at(51)}, 60, at(101).Time, false},
		"over to the second":           {&v1.ActiveTimeStatus{Seconds: 10, Since: at(50)}, 60, at(100).Time, true},
		"runs, and had no time left":   {&v1.ActiveTimeStatus{Seconds: 90, Since: at(70)}, 60, at(70).Time, true},
		"written by hand, too much":    {&v1.ActiveTimeStatus{Seconds: math.MaxInt64, Since: at(70)}, math.MaxInt32, at(70).Time, true},
		"written by hand, less than 0": {&v1.ActiveTimeStatus{Seconds: math.MinInt64, Since: at(50)}, 60, at(110).Time, false},
		"for decades":                  {&v1.ActiveTimeStatus{Since: at(0)}, math.MaxInt32, at(math.MaxInt32).Time, false},
	}
	for name, tt := range tests {
		if end, over := deadline.ActiveEnd(tt.record, tt.limit, at(100).Time); !end.Equal(tt.end) || over != tt.over {
			t.Errorf("%s: %s, %v", name, end, over)
		}
	}
}

func TestTaskEnd(t *testing.T) {
	role := func(limit *int64) *v1.TaskRoleSpec {
		return &v1.TaskRoleSpec{Task: v1.TaskSpec{ActiveDeadlineSeconds: limit}}
	}
	running := &v1.TaskStatus{State: v1.AttemptRunning, AttemptStatus: v1.TaskAttemptStatus{RunTime: at(10)}}
	if end, ok := deadline.TaskEnd(role(new(int64(30))), running); !ok || !end.Equal(at(40).Time) {
		t.Errorf("%s, %v", end, ok)
	}
	ended := *running
	ended.State = v1.AttemptDeletionPending
	for name, tt := range map[string]struct {
		role *v1.TaskRoleSpec
		task *v1.TaskStatus
	}{
		"the role is gone":          {nil, running},
		"no limit":                  {role(nil), running},
		"none that the CRD admits":  {role(new(int64)), running},
		"it has ended":              {role(new(int64(30))), &ended},
		"the status has no RunTime": {role(new(int64(30))), &v1.TaskStatus{State: v1.AttemptRunning}},
	} {
		if end, ok := deadline.TaskEnd(tt.role, tt.task); ok {
			t.Errorf("%s: %s", name, end)
		}
	}
}
