package controller

import (
	"encoding/json"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The hints are decoded again when other hints are stored, and only then.
func TestHintsFollow(t *testing.T) {
	var f hintsFollow
	for i, step := range []struct {
		hints        *v1.SchedulerHints
		tasks, start bool
	}{
		{nil, false, false},
		{&v1.SchedulerHints{Plugin: "p", Answer: []byte(`{"followTasks":true}`)}, true, false},
		{&v1.SchedulerHints{Plugin: "p", Answer: []byte(`{"followTasks":true}`)}, true, false},
		{&v1.SchedulerHints{Plugin: "p", Answer: []byte(`{"followStart":true}`)}, false, true},
		{&v1.SchedulerHints{Answer: []byte(`{"followStart":true}`)}, false, false},
		{&v1.SchedulerHints{Plugin: "p", Answer: []byte(`{"patches":[{"annotations":{"\"follow":"\"followTasks\":true"}}]}`)}, false, false},
		{&v1.SchedulerHints{Plugin: "p", Answer: []byte(`{"followTasks":true`)}, false, false},
		{nil, false, false},
	} {
		if tasks, start := f.by(step.hints); tasks != step.tasks || start != step.start {
			t.Errorf("step %d: %t %t", i, tasks, start)
		}
	}
}

func BenchmarkHintsFollow(b *testing.B) {
	h := &v1.SchedulerHints{Plugin: "p", Answer: json.RawMessage(`{"patches":[{"taskRole":"` + strings.Repeat("x", 60_000) + `"}]}`)}
	var f hintsFollow
	for b.Loop() {
		f.by(h)
	}
}
