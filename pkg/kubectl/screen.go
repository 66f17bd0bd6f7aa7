package kubectl

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// marks represent Tasks in a bar.
var marks = map[explain.Standing]rune{
	explain.Running: '#', explain.Starting: '.', explain.InTurn: ':', explain.Retrying: 'r', explain.Ending: '~', explain.Removing: '-',
	explain.Succeeded: '=', explain.Failed: 'x', explain.CutShort: '/',
}

// blocks are the marks of a terminal that shows block characters. Each standing has its own, because many people cannot distinguish colors.
var blocks = map[explain.Standing]rune{
	explain.Running: '█', explain.Starting: '░', explain.InTurn: '·', explain.Retrying: '▒', explain.Ending: '▓', explain.Removing: '▁',
	explain.Succeeded: '▄', explain.Failed: 'x', explain.CutShort: '▞',
}

// colors are the codes of the standings, which every color terminal supports. Standings without activity are dim.
var colors = map[explain.Standing]string{
	explain.Running: "36", explain.Starting: "2", explain.InTurn: "2", explain.Retrying: "33", explain.Ending: "33", explain.Removing: "2",
	explain.Succeeded: "32", explain.Failed: "31", explain.CutShort: "2",
}

const bold = "1"

// style is how a terminal shows the screen. The zero style is for any terminal.
type style struct{ hasBlocks, hasColors bool }

// styleOf returns the style for a terminal with this environment. https://no-color.org has the rule for NO_COLOR.
func styleOf(getenv func(string) string) style {
	if kind := getenv("TERM"); kind == "" || kind == "dumb" {
		return style{}
	}
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return style{
		hasBlocks: strings.HasSuffix(strings.ReplaceAll(locale, "-", ""), "utf8"),
		hasColors: getenv("NO_COLOR") == "",
	}
}

func (s style) mark(of explain.Standing) string {
	if s.hasBlocks {
		return string(blocks[of])
	}
	return string(marks[of])
}

// line is a line of the screen, in parts that have a color or none.
type line []part

type part struct {
	text, color string
}

func plainPart(format string, args ...any) part { return part{text: fmt.Sprintf(format, args...)} }

func plainLines(text ...string) (lines []line) {
	for _, t := range text {
		lines = append(lines, line{{text: t}})
	}
	return lines
}

// render returns a line that fits the width. Only the colors of parts steer the terminal; their text does not.
func (s style) render(l line, width int) string {
	var whole strings.Builder
	for _, p := range l {
		whole.WriteString(onOneLine(p.text))
	}
	shown := cutTo(whole.String(), width)
	if !s.hasColors {
		return shown
	}
	var b strings.Builder
	rest := []rune(shown)
	for _, p := range l {
		n := min(len([]rune(onOneLine(p.text))), len(rest))
		if text := string(rest[:n]); p.color == "" || text == "" {
			b.WriteString(text)
		} else {
			b.WriteString("\x1b[" + p.color + "m" + text + resetGraphics)
		}
		rest = rest[n:]
	}
	return b.String() + string(rest)
}

// widestBar is the maximum width of a bar.
const widestBar = 60

// screen renders a Framework for a terminal of this size.
func (s style) screen(f *stored, gone bool, events []corev1.Event, width, height int, lineEnd string) string {
	title := "Framework " + f.Namespace + "/" + f.Name
	if gone {
		title += ", which is gone"
	}
	lines := append([]line{{{title, bold}}}, plainLines(f.oneLine(), "")...)
	if f.Status != nil {
		lines = append(lines, s.roleLines(f.Status.AttemptStatus.TaskRoleStatuses, width, height)...)
		lines = append(lines, line{}, s.legend(f.Status.Tasks))
	}
	if text := f.trouble(); text != "" {
		lines = append(lines, plainLines("", "Waiting: "+text)...)
	}
	if room := height - len(lines) - 3; room > 0 && len(events) > 0 {
		lines = append(lines, plainLines("", "Events:")...)
		for i := max(0, len(events)-room); i < len(events); i++ {
			e := &events[i]
			lines = append(lines, line{plainPart("%5s ago  %s: %s", ago(explain.LastSeen(e)), e.Reason, e.Message)})
		}
	}
	var b strings.Builder
	for _, l := range lines[:min(len(lines), max(height-1, 1))] {
		b.WriteString(s.render(l, width) + lineEnd)
	}
	return b.String()
}

// roleLines renders the roles with their bars, limited to half of the screen.
func (s style) roleLines(roles []v1.TaskRoleStatus, width, height int) (lines []line) {
	longest := 0
	for i := range roles {
		longest = max(longest, len(roles[i].Name))
	}
	most := max(height/2, 1)
	for i := range roles {
		if i == most {
			return append(lines, line{plainPart("... and %s more", plural(len(roles)-i, "role"))})
		}
		counts, text := countsOf(roles[i].TaskStatuses)
		l := line{plainPart("%-*s [", longest, roles[i].Name)}
		l = append(l, s.barOf(counts, len(roles[i].TaskStatuses), min(widestBar, max(width-longest-40, 10)))...)
		lines = append(lines, append(l, plainPart("] %s", text)))
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
func (s style) barOf(counts map[explain.Standing]int, total, width int) (bar line) {
	left, last := width, explain.Standing("")
	for _, of := range explain.Standings() {
		if counts[of] == 0 {
			continue
		}
		n := min(max(counts[of]*width/total, 1), left)
		bar = append(bar, part{strings.Repeat(s.mark(of), n), colors[of]})
		left, last = left-n, of
	}
	if len(bar) == 0 {
		return line{{text: strings.Repeat(" ", left)}}
	}
	bar[len(bar)-1].text += strings.Repeat(s.mark(last), left) // the remainder after rounding
	return bar
}

// legend leaves out InTurn if no Task waits for its turn, as in roles without parallelism.
func (s style) legend(counts *v1.TaskCounts) (l line) {
	for _, of := range explain.Standings() {
		if of == explain.InTurn && (counts == nil || counts.Waiting == 0) {
			continue
		}
		if len(l) > 0 {
			l = append(l, part{text: "  "})
		}
		l = append(l, part{s.mark(of), colors[of]}, plainPart(" %s", of))
	}
	return l
}

// cutTo truncates a line that is too long for the terminal.
func cutTo(line string, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	return string(runes[:max(width-3, 0)]) + "..."
}
