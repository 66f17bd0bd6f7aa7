package kubectl

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestFold(t *testing.T) {
	tests := map[string]struct {
		states string // one letter for each Task
		all    bool
		want   string
	}{
		"none":       {"", false, ""},
		"one":        {"r", false, "0"},
		"all alike":  {"rrrr", false, "0-3"},
		"in between": {"rrprr", false, "0-1 2 3-4"},
		"unfolded":   {"rr", true, "0 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var tasks []v1.TaskStatus
			for i, letter := range tt.states {
				task := v1.TaskStatus{Index: int32(i), State: v1.AttemptRunning}
				if letter == 'p' {
					task.State = v1.AttemptPreparing
				}
				tasks = append(tasks, task)
			}
			var got []string
			for _, r := range fold(tasks, tt.all) {
				got = append(got, fmt.Sprint(r))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
