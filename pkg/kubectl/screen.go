package kubectl

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// marks represent Tasks in a bar.
var marks = map[explain.Standing]rune{
	explain.Running: '#', explain.Starting: '.', explain.Retrying: 'r', explain.Ending: '~', explain.Removing: '-',
	explain.Succeeded: '=', explain.Failed: 'x', explain.CutShort: '/',
}

// widestBar is the maximum width of a bar.
const widestBar = 60

// screen renders a Framework for a terminal of this size.
func screen(s *stored, gone bool, events []corev1.Event, width, height int, lineEnd string) string {
	lines := []string{"Framework " + s.Namespace + "/" + s.Name}
	if gone {
		lines[0] += ", which is gone"
	}
	lines = append(lines, s.oneLine(), "")
	if s.Status != nil {
		lines = append(lines, roleLines(s.Status.AttemptStatus.TaskRoleStatuses, width, height)...)
		lines = append(lines, "", legend())
	}
	if text := s.trouble(); text != "" {
		lines = append(lines, "", "Waiting: "+text)
	}
	if room := height - len(lines) - 3; room > 0 && len(events) > 0 {
		lines = append(lines, "", "Events:")
		for i := max(0, len(events)-room); i < len(events); i++ {
			e := &events[i]
			lines = append(lines, fmt.Sprintf("%5s ago  %s: %s", ago(explain.LastSeen(e)), e.Reason, e.Message))
		}
	}
	var b strings.Builder
	for _, line := range lines[:min(len(lines), max(height-1, 1))] {
		b.WriteString(cutTo(onOneLine(line), width) + lineEnd)
	}
	return b.String()
}

// roleLines renders the roles with their bars, limited to half of the screen.
func roleLines(roles []v1.TaskRoleStatus, width, height int) (lines []string) {
	longest := 0
	for i := range roles {
		longest = max(longest, len(roles[i].Name))
	}
	most := max(height/2, 1)
	for i := range roles {
		if i == most {
			return append(lines, fmt.Sprintf("... and %s more", plural(len(roles)-i, "role")))
		}
		counts, text := countsOf(roles[i].TaskStatuses)
		bar := barOf(counts, len(roles[i].TaskStatuses), min(widestBar, max(width-longest-40, 10)))
		lines = append(lines, fmt.Sprintf("%-*s [%s] %s", longest, roles[i].Name, bar, text))
	}
	return lines
}

func countsOf(tasks []v1.TaskStatus) (counts map[explain.Standing]int, text string) {
	counts = map[explain.Standing]int{}
	for i := range tasks {
		counts[explain.StandingOf(&tasks[i])]++
	}
	parts := []string{fmt.Sprint(len(tasks))}
	for _, s := range explain.Standings() {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s, counts[s]))
		}
	}
	return counts, strings.Join(parts, ", ")
}

// barOf divides the width among the standings. Each one with Tasks gets at least one mark, as a single failure matters.
func barOf(counts map[explain.Standing]int, total, width int) string {
	var b strings.Builder
	left := width
	for _, s := range explain.Standings() {
		if counts[s] == 0 {
			continue
		}
		n := min(max(counts[s]*width/total, 1), left)
		b.WriteString(strings.Repeat(string(marks[s]), n))
		left -= n
	}
	if total > 0 && left > 0 { // the remainder after rounding
		last := b.String()[b.Len()-1:]
		b.WriteString(strings.Repeat(last, left))
		left = 0
	}
	return b.String() + strings.Repeat(" ", left)
}

func legend() string {
	var parts []string
	for _, s := range explain.Standings() {
		parts = append(parts, fmt.Sprintf("%c %s", marks[s], s))
	}
	return strings.Join(parts, "  ")
}

// cutTo truncates a line that is too long for the terminal.
func cutTo(line string, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	return string(runes[:max(width-3, 0)]) + "..."
}
