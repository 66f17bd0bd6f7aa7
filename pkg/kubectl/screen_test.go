package kubectl

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

func TestBar(t *testing.T) {
	tests := map[string]struct {
		counts map[explain.Standing]int
		total  int
		want   string
	}{
		"no Tasks":               {nil, 0, "          "},
		"all alike":              {map[explain.Standing]int{explain.Running: 3}, 3, "##########"},
		"halves":                 {map[explain.Standing]int{explain.Running: 5, explain.Starting: 5}, 10, "#####....."},
		"one of many is visible": {map[explain.Standing]int{explain.Running: 9999, explain.Failed: 1}, 10_000, "#########x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := barOf(tt.counts, tt.total, 10); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The line above the bars counts as they do: a Task that was cut short has not failed.
func TestCutShortIsNoFailure(t *testing.T) {
	ended := func(code int32, phrase string) v1.TaskStatus {
		s := v1.CompletionStatus{Code: code, Phrase: phrase, Type: v1.CompletionType{Name: v1.CompletionFailed}}
		return v1.TaskStatus{State: v1.Completed, AttemptStatus: v1.TaskAttemptStatus{CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: s}}}
	}
	s := &stored{Framework: v1.Framework{Status: &v1.FrameworkStatus{State: v1.Completed}}}
	s.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{
		ended(7, "Broken"), ended(-220, "FrameworkAttemptCompletion"), ended(-220, "FrameworkAttemptCompletion")}}}
	s.fillCounts()
	if got, want := s.oneLine(), "Completed, attempt 0: of 3 Tasks 0 running, 0 succeeded, 1 failed, 2 cut short"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if text := screen(s, false, nil, 100, 30, "\n"); !strings.Contains(text, "3, Failed 1, CutShort 2") {
		t.Errorf("the bar does not count so: %s", text)
	}
}

// A screen has no more lines and columns than the terminal, whatever there is to show.
func TestScreenFits(t *testing.T) {
	s := &stored{Framework: v1.Framework{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"}}}
	s.Status = &v1.FrameworkStatus{State: v1.AttemptRunning, Tasks: &v1.TaskCounts{}}
	for range 200 {
		role := v1.TaskRoleStatus{Name: strings.Repeat("r", 60), TaskStatuses: make([]v1.TaskStatus, 50)}
		s.Status.AttemptStatus.TaskRoleStatuses = append(s.Status.AttemptStatus.TaskRoleStatuses, role)
	}
	events := make([]corev1.Event, 100)
	for i := range events {
		events[i].Message = strings.Repeat("many words ", 50) + "\x1b[2J"
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}, {20, 5}, {1, 1}, {0, 0}} {
		text := screen(s, false, events, size[0], size[1], "\n")
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > max(size[1]-1, 1) || strings.Contains(text, "\x1b") {
			t.Errorf("%v: %d lines: %q", size, len(lines), text)
		}
		for _, line := range lines {
			if len([]rune(line)) > max(size[0], 3) {
				t.Errorf("%v: %q", size, line)
			}
		}
	}
}
