package checker

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Each field of a status, of the Framework and of a Task, is held to its rule, and a violation names the field.
func TestFieldsGoForward(t *testing.T) {
	later, text := metav1.NewTime(time.Unix(1000, 0)), "another"
	type status = v1.FrameworkStatus
	of := func(f *status) *v1.TaskStatus { return &f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0] }
	tests := []struct {
		name      string
		want      Guarantee
		says      string
		from, to  func(*status) // set the version before, and from that the version after
		framework func(*v1.Framework)
	}{
		{name: "status", want: Forward, says: "status has gone", framework: func(f *v1.Framework) { f.Status = nil }},
		{name: "attempt", want: Forward, says: "Framework n/f at version 7: attempt 2 after 3",
			from: func(f *status) { f.AttemptStatus.ID = 3 }, to: func(f *status) { f.AttemptStatus.ID = 2 }},
		{name: "attempt of a Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: attempt 2 after 3",
			from: func(f *status) { of(f).AttemptStatus.ID = 3 }, to: func(f *status) { of(f).AttemptStatus.ID = 2 }},
		{name: "Completed", want: Forward, says: "Framework n/f at version 7: AttemptRunning after Completed",
			from: func(f *status) { f.State = v1.Completed }, to: func(f *status) { f.State = v1.AttemptRunning; f.AttemptStatus.ID++ }},
		{name: "Completed Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: AttemptRunning after Completed",
			from: func(f *status) { of(f).State = v1.Completed },
			to:   func(f *status) { of(f).State = v1.AttemptRunning; of(f).AttemptStatus.ID++ }},
		{name: "state", want: Forward, says: "Framework n/f at version 7: AttemptPreparing after AttemptRunning in the same attempt",
			from: func(f *status) { f.State = v1.AttemptRunning }, to: func(f *status) { f.State = v1.AttemptPreparing }},
		{name: "state of a Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: AttemptPreparing after AttemptRunning in the same",
			from: func(f *status) { of(f).State = v1.AttemptRunning }, to: func(f *status) { of(f).State = v1.AttemptPreparing }},
		{name: "startTime", want: Forward, says: "Framework n/f at version 7: startTime", to: func(f *status) { f.StartTime = later }},
		{name: "startTime of a Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: startTime",
			to: func(f *status) { of(f).StartTime = later }},
		{name: "runTime", want: Forward, says: "Framework n/f at version 7: runTime",
			from: func(f *status) { f.RunTime = &later }, to: func(f *status) { f.RunTime = nil }},
		{name: "runTime of a Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: runTime",
			from: func(f *status) { of(f).RunTime = &later }, to: func(f *status) { of(f).RunTime = nil }},
		{name: "configMapUID", want: Forward, says: "configMapUID is null", to: func(f *status) { f.AttemptStatus.ConfigMapUID = nil }},
		{name: "podUID", want: Forward, says: "podUID is null", to: func(f *status) { of(f).AttemptStatus.PodUID = nil }},
		{name: "instanceUID", want: Forward, says: "Framework n/f at version 7: instanceUID",
			from: func(f *status) { f.AttemptStatus.InstanceUID = &text }, to: func(f *status) { f.AttemptStatus.InstanceUID = nil }},
		{name: "instanceUID of a Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: instanceUID",
			from: func(f *status) { of(f).AttemptStatus.InstanceUID = &text }, to: func(f *status) { of(f).AttemptStatus.InstanceUID = nil }},
		{name: "message", want: Forward, says: "Task a-0 of Framework n/f at version 7: completionStatus",
			from: func(f *status) { of(f).AttemptStatus.CompletionStatus = saying("long") },
			to:   func(f *status) { of(f).AttemptStatus.CompletionStatus = saying("short") }},
		{name: "code of a compressed Task", want: Forward, says: "Task a-0 of Framework n/f at version 7: completionStatus",
			from: func(f *status) { of(f).AttemptStatus.CompletionStatus = saying("long") },
			to: func(f *status) {
				of(f).AttemptStatus.CompletionStatus = saying("short")
				of(f).AttemptStatus.CompletionStatus.Code = 7
				f.AttemptStatus.TaskRoleStatusesCompressed = []byte{1}
			}},
		{name: "dropped attempt of a Task", want: StoredFirst, says: "Task a-0 of Framework n/f at version 7: attempt 0 was dropped",
			to: func(f *status) { of(f).AttemptStatus.ID = 1 }},
		{name: "count", want: Counters, says: "1 retries, 0 of them accountable, in attempt 0",
			to: func(f *status) { f.RetryPolicyStatus.TotalRetriedCount = 1 }},
		{name: "accountable ones", want: Counters, says: "retries, 1 of them accountable, in attempt 0",
			to: func(f *status) { of(f).RetryPolicyStatus.AccountableRetriedCount = 1 }},
		{name: "retry of the Framework left out", want: Counters, says: "Framework n/f at version 7: it is Completed with 1",
			to: func(f *status) {
				f.State = v1.Completed
				f.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: failure}
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := life()
			s.h.Observations = s.h.Observations[:5] // up to where the ConfigMap is recorded
			before := s.lastFramework(5).DeepCopy()
			uid := s.uid("pod")
			task(0, func(t *v1.TaskStatus) { t.AttemptStatus.PodUID = &uid })(before)
			after := before.DeepCopy()
			alter(before.Status, tt.from)
			alter(after.Status, tt.from)
			alter(after.Status, tt.to)
			if tt.framework != nil {
				tt.framework(after)
			}
			s.h.Observations = append(s.h.Observations, Observation{Version: 6, Framework: before}, Observation{Version: 7, Framework: after})
			requireViolation(t, s.h, tt.want, tt.says)
		})
	}
}

func alter(f *v1.FrameworkStatus, how func(*v1.FrameworkStatus)) {
	if how != nil {
		how(f)
	}
}

func saying(diagnostics string) *v1.TaskAttemptCompletionStatus {
	s := failure
	s.Diagnostics = diagnostics
	return &v1.TaskAttemptCompletionStatus{CompletionStatus: s}
}

// Messages of a status that is compressed may be cut.
func TestMessagesMayBeCut(t *testing.T) {
	s := life()
	i := s.last(func(x Observation) bool { return inState(x, v1.Completed) })
	s.insert(i+1, func(f *v1.Framework) {
		f.Status.AttemptStatus.TaskRoleStatusesCompressed = []byte{1}
		firstTask(f).AttemptStatus.CompletionStatus.Diagnostics = "cut"
	})
	for _, v := range Check(s.h, Options{Settled: true}).Violations {
		t.Error(v)
	}
}
