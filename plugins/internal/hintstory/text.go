package hintstory

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// text renders an answer.
func text(a *pluginpb.HintResponse) string {
	if a == nil {
		return "no opinion"
	}
	if a.GetRefusal() != "" {
		return "refused: " + a.GetRefusal()
	}
	var out strings.Builder
	if a.GetFollowTasks() {
		out.WriteString("follows Tasks\n")
	}
	for _, w := range a.GetWarnings() {
		fmt.Fprintf(&out, "warns: %s\n", w)
	}
	for _, o := range a.GetObjects() {
		fmt.Fprintf(&out, "object, later %s:\n  %s\n", o.GetOnUpdate(), o.GetJson())
	}
	for _, p := range a.GetPatches() {
		patch(&out, p)
	}
	return out.String()
}

func patch(out *strings.Builder, p *pluginpb.PodPatch) {
	fmt.Fprintf(out, "role %s%s:\n", p.GetTaskRole(), tasks(p.GetIndices()))
	line(out, "schedulerName", p.GetSchedulerName())
	line(out, "priorityClassName", p.GetPriorityClassName())
	pairs(out, "label", p.GetLabels())
	pairs(out, "annotation", p.GetAnnotations())
	line(out, "spec", string(p.GetSpecJson()))
}

func tasks(ranges []*pluginpb.IndexRange) string {
	var out string
	for _, r := range ranges {
		last := fmt.Sprint(r.GetLast())
		if r.GetLast() == math.MaxInt32 {
			last = ""
		}
		out += fmt.Sprintf(" %d-%s", r.GetFirst(), last)
	}
	return out
}

func line(out *strings.Builder, key, value string) {
	if value != "" {
		fmt.Fprintf(out, "  %s %s\n", key, value)
	}
}

func pairs(out *strings.Builder, what string, of map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		line(out, what+" "+key+":", of[key])
	}
}
