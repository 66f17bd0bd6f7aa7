package hived

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

func TestStories(t *testing.T) { hintstory.RunAs(t, "testdata", New().SchedulerHints.Hint, text) }

// text renders an answer, with annotations unchanged.
func text(a *pluginpb.HintResponse) string {
	if a == nil {
		return "no opinion"
	}
	if a.Refusal != "" {
		return "refused: " + a.Refusal
	}
	var out strings.Builder
	for _, w := range a.Warnings {
		fmt.Fprintf(&out, "warns: %s\n", w)
	}
	for _, p := range a.Patches {
		fmt.Fprintf(&out, "role %s: schedulerName %s\n", p.TaskRole, p.SchedulerName)
		if p.PriorityClassName != "" {
			fmt.Fprintf(&out, "priorityClassName %s\n", p.PriorityClassName)
		}
		for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
			fmt.Fprintf(&out, "annotation %s:\n%s", key, indented(p.Annotations[key]))
		}
		for _, c := range p.Containers {
			fmt.Fprintf(&out, "container %q: limits %v, env %s\n", c.Name, c.Limits, c.EnvJson)
		}
	}
	return out.String()
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
