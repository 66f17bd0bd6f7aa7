package kubectl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

type tasking struct {
	*caller
	states    []string
	node      string
	sortBy    string
	output    string
	noHeaders bool
}

// taskLine is one Task and its role.
type taskLine struct {
	role string
	*v1.TaskStatus
}

func (c *caller) tasks() *cobra.Command {
	t := &tasking{caller: c}
	cmd := &cobra.Command{
		Use:               "tasks NAME [ROLE] [--state STATE] [--node NODE]",
		Short:             "List the Tasks of a Framework, one on a line",
		Args:              takesName(2),
		ValidArgsFunction: c.completeNames(true),
		RunE:              t.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&t.states, "state", nil, "List those that stand so: "+standings()+".")
	f.StringVar(&t.node, "node", "", "List those whose Pod is on that node.")
	f.StringVar(&t.sortBy, "sort-by", "", "Sort by "+strings.Join(sortKeys(), ", ")+"; by default the order is that of roles and indices.")
	f.StringVarP(&t.output, "output", "o", "", "wide, for the names of Pods and what has been said of failures.")
	f.BoolVar(&t.noHeaders, "no-headers", false, "Leave out the line with the names of the columns.")
	return cmd
}

func standings() string {
	var names []string
	for _, s := range explain.Standings() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func (t *tasking) run(cmd *cobra.Command, args []string) error {
	if err := t.check(); err != nil {
		return err
	}
	k, err := t.cluster()
	if err != nil {
		return err
	}
	s, err := k.get(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	about := target{index: -1}
	if len(args) > 1 {
		if about, err = s.parseTarget(args[1]); err != nil {
			return err
		}
	}
	lines := t.choose(s, about)
	if t.sortBy != "" {
		slices.SortStableFunc(lines, orders[t.sortBy])
	}
	if len(lines) == 0 {
		_, err := fmt.Fprintf(t.ErrOut, "No such Tasks found in Framework %s.\n", s.Name)
		return err
	}
	return t.print(lines)
}

func (t *tasking) check() error {
	for _, state := range t.states {
		if !slices.ContainsFunc(explain.Standings(), func(s explain.Standing) bool { return strings.EqualFold(string(s), state) }) {
			return fmt.Errorf("--state %s: there is no such state; there are %s", state, standings())
		}
	}
	if _, ok := orders[t.sortBy]; t.sortBy != "" && !ok {
		return fmt.Errorf("--sort-by %s: it is none of %s", t.sortBy, strings.Join(sortKeys(), ", "))
	}
	if t.output != "" && t.output != "wide" {
		return fmt.Errorf("-o %s: only wide is known; kubectl get fw NAME -o json has the whole status", t.output)
	}
	return nil
}

func (t *tasking) choose(s *stored, about target) (lines []taskLine) {
	if s.Status == nil {
		return nil
	}
	for i := range s.Status.AttemptStatus.TaskRoleStatuses {
		role := &s.Status.AttemptStatus.TaskRoleStatuses[i]
		for j := range role.TaskStatuses {
			line := taskLine{role.Name, &role.TaskStatuses[j]}
			if about.covers(line) && t.chooses(line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// covers reports whether a target means a Task. The empty one means all.
func (a target) covers(l taskLine) bool {
	return a.role == "" || a.role == l.role && (a.index < 0 || a.index == l.Index)
}

func (t *tasking) chooses(l taskLine) bool {
	standing := string(explain.StandingOf(l.TaskStatus))
	is := func(state string) bool { return strings.EqualFold(state, standing) }
	return (len(t.states) == 0 || slices.ContainsFunc(t.states, is)) && (t.node == "" || t.node == l.node())
}

func (l taskLine) node() string { return valueOf(l.AttemptStatus.PodNodeName) }

func (l taskLine) code() (code int32, phrase string) {
	if s := l.AttemptStatus.CompletionStatus; s != nil {
		return s.Code, s.Phrase
	}
	return 0, ""
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// orders are what Tasks can be sorted by.
var orders = map[string]func(a, b taskLine) int{
	"state": func(a, b taskLine) int {
		return cmp.Compare(explain.StandingOf(a.TaskStatus), explain.StandingOf(b.TaskStatus))
	},
	"attempt": func(a, b taskLine) int { return cmp.Compare(a.AttemptStatus.ID, b.AttemptStatus.ID) },
	"code": func(a, b taskLine) int {
		x, _ := a.code()
		y, _ := b.code()
		return cmp.Compare(x, y)
	},
	"node": func(a, b taskLine) int { return cmp.Compare(a.node(), b.node()) },
	"age":  func(a, b taskLine) int { return b.TransitionTime.Compare(a.TransitionTime.Time) },
}

func sortKeys() []string { return []string{"state", "attempt", "code", "node", "age"} }

func (t *tasking) print(lines []taskLine) error {
	out := table{columns: []column{
		{name: "Task"}, {name: "State"}, {name: "Attempt"}, {name: "Counted"}, {name: "Code"}, {name: "Reason"}, {name: "Node"}, {name: "IP"},
		{name: "Pod", wide: true}, {name: "Said", wide: true}, {name: "Since"},
	}, wide: t.output == "wide", noHeaders: t.noHeaders}
	for _, l := range lines {
		out.add(l.cells()...)
	}
	return out.print(t.Out)
}

func (l taskLine) cells() []any {
	code, phrase := l.code()
	var shown any = ""
	said := ""
	if s := l.AttemptStatus.CompletionStatus; s != nil {
		shown, said = code, s.Diagnostics
	}
	return []any{explain.TaskName(l.role, l.Index), string(explain.StandingOf(l.TaskStatus)), l.AttemptStatus.ID,
		l.RetryPolicyStatus.AccountableRetriedCount, shown, phrase, l.node(), valueOf(l.AttemptStatus.PodIP),
		l.AttemptStatus.PodName, said, ageOf(l.TransitionTime)}
}
