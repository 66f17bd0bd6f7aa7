package statusjson

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// retriedOften returns a role of the given number of Tasks, each with the maximum number of earlier attempts.
func retriedOften(tasks int) []Role {
	role := newRole("a", tasks, 0)
	begin := time.Date(2026, 11, 20, 16, 30, 3, 0, time.UTC)
	for i, t := range role.Tasks {
		for n := range v1.MaxEarlierAttempts {
			at := metav1.NewTime(begin.Add(time.Duration(i*7919+n*104729) * time.Second)) // times that compress badly
			t.EarlierAttempts = append(t.EarlierAttempts, v1.EarlierTaskAttempt{
				ID: int32(n), Code: int32(1 + i%200), Phrase: "ContainerUnrecognizedFailed", Type: v1.CompletionType{Name: v1.CompletionFailed},
				Node: fmt.Sprint("node-", (i*31+n*17)%1000), StartTime: at, RunTime: &at, CompletionTime: at,
			})
		}
	}
	return []Role{role}
}

// Earlier attempts of many Tasks do not prevent a status from being stored: the oldest of them are dropped.
func TestEarlierAttemptsAreCut(t *testing.T) {
	status, roles := newStatus(), retriedOften(10_000)
	encoder := &Encoder{}
	encoded, report := encode(t, encoder, status, roles)
	if len(encoded) > StorageBytes || !report.Cut {
		t.Fatalf("%d bytes, report %+v", len(encoded), report)
	}
	want := plain(status, roles)
	encoder.Cutting().ApplyTo(want)
	got := decode(t, encoded)
	checkSame(t, got, want)
	kept := got.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].EarlierAttempts
	if n := len(kept); n == 0 || n >= v1.MaxEarlierAttempts || kept[n-1].ID != v1.MaxEarlierAttempts-1 {
		t.Errorf("%d are left: %+v", n, kept)
	}
	if n := len(roles[0].Tasks[0].EarlierAttempts); n != v1.MaxEarlierAttempts {
		t.Errorf("of what was given, %d are left", n)
	}
}

// A hundred Tasks keep all their earlier attempts.
func TestEarlierAttemptsStay(t *testing.T) {
	status, roles := newStatus(), retriedOften(100)
	encoded, report := encode(t, &Encoder{}, status, roles)
	checkSame(t, decode(t, encoded), plain(status, roles))
	if report.Cut {
		t.Error("they were cut")
	}
}
