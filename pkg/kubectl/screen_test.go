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
			if got := (style{}).render(style{}.barOf(tt.counts, tt.total, 10), 10); got != tt.want {
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
	if text := (style{}).screen(s, false, nil, 100, 30, "\n"); !strings.Contains(text, "3, Failed 1, CutShort 2") {
		t.Errorf("the bar does not count so: %s", text)
	}
}

// A screen has at most as many lines and columns as the terminal, for any content.
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
		text := style{}.screen(s, false, events, size[0], size[1], "\n")
		if colored := (style{hasColors: true}).screen(s, false, events, size[0], size[1], "\n"); graphics.ReplaceAllString(colored, "") != text {
			t.Errorf("%v: colors change the text: %q", size, colored)
		}
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

// Colors and blocks are for terminals that have them; no two standings look alike without colors.
func TestStyle(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want style
	}{
		"UTF-8":                  {map[string]string{"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}, style{true, true}},
		"utf8":                   {map[string]string{"TERM": "xterm", "LC_CTYPE": "C.utf8"}, style{true, true}},
		"LC_ALL comes first":     {map[string]string{"TERM": "xterm", "LC_ALL": "C", "LANG": "en_US.UTF-8"}, style{false, true}},
		"no locale":              {map[string]string{"TERM": "xterm"}, style{false, true}},
		"NO_COLOR":               {map[string]string{"TERM": "xterm", "LANG": "en_US.UTF-8", "NO_COLOR": "1"}, style{true, false}},
		"NO_COLOR that is empty": {map[string]string{"TERM": "xterm", "NO_COLOR": ""}, style{false, true}},
		"dumb":                   {map[string]string{"TERM": "dumb", "LANG": "en_US.UTF-8"}, style{}},
		"no terminal":            {map[string]string{"LANG": "en_US.UTF-8"}, style{}},
	} {
		if got := styleOf(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
	for _, set := range []map[explain.Standing]rune{marks, blocks} {
		of := map[rune]explain.Standing{}
		for _, standing := range explain.Standings() {
			if other, taken := of[set[standing]]; taken || set[standing] == 0 || colors[standing] == "" {
				t.Errorf("%s looks like %s: %q", standing, other, set[standing])
			}
			of[set[standing]] = standing
		}
	}
	both := style{true, true}
	bar := both.render(both.barOf(map[explain.Standing]int{explain.Running: 1, explain.Failed: 1}, 2, 4), 80)
	if want := "\x1b[36m██\x1b[0m\x1b[31mxx\x1b[0m"; bar != want {
		t.Errorf("got %q, want %q", bar, want)
	}
}
