package kubectl

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

type tasking struct {
	looking
	states    []string
	node      string
	sortBy    string
	output    output
	noHeaders bool
}

// taskLine is one Task and its role.
type taskLine struct {
	role string
	item string // empty if it has none, or is not known
	*v1.TaskStatus
}

func (c *caller) tasks() *cobra.Command {
	t := &tasking{looking: looking{historyFlags: historyFlags{caller: c}}}
	cmd := &cobra.Command{
		Use:   "tasks NAME [ROLE[/INDEX]] [--attempt N] [--state STATE] [--node NODE]",
		Short: "List the Tasks of a Framework, one per line",
		Long: `List the Tasks of a Framework, one per line.

If a Framework is gone, its Tasks come from the history, if the cluster has a history server, and so do the Tasks of an earlier attempt.

-o wide adds the names of Pods and the diagnostics of failures; -o name lists the names of the Tasks only. The fields of -o json and
-o yaml are stable.`,
		Args:              takesName(2),
		ValidArgsFunction: c.completeNames(true),
		RunE:              t.run,
	}
	t.addFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&t.states, "state", nil, "List Tasks in these states: "+standings()+".")
	f.StringVar(&t.node, "node", "", "List Tasks whose Pod is on this node.")
	f.StringVar(&t.sortBy, "sort-by", "", "Sort by "+strings.Join(sortKeys(), ", ")+". By default, Tasks are in the order of roles and indices.")
	f.BoolVar(&t.noHeaders, "no-headers", false, "Leave out the line with the names of the columns.")
	t.output.addFlag(cmd, "wide", "name", "json", "yaml")
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
	found, err := t.find(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	defer found.close()
	about := target{index: -1}
	if len(args) > 1 {
		if about, err = found.parseTarget(args[1]); err != nil {
			return err
		}
	}
	s := found.framework()
	lines := t.choose(s, about, found.items(cmd.Context(), s))
	if t.sortBy != "" {
		slices.SortStableFunc(lines, orders[t.sortBy])
	}
	if t.output.isDocument() {
		return t.output.print(t.caller, documentOfTasks(found.document("TaskList"), lines))
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
	return t.output.check()
}

func (t *tasking) choose(s *stored, about target, lists map[string]*items.List) (lines []taskLine) {
	if s.Status == nil {
		return nil
	}
	for i := range s.Status.AttemptStatus.TaskRoleStatuses {
		role := &s.Status.AttemptStatus.TaskRoleStatuses[i]
		for j := range role.TaskStatuses {
			line := taskLine{role.Name, explain.ItemOf(lists, role, int32(j)), &role.TaskStatuses[j]}
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

// orders are the keys by which Tasks can be sorted.
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
	if t.output.format == "name" {
		var names strings.Builder
		for _, l := range lines {
			fmt.Fprintln(&names, onOneLine(explain.TaskName(l.role, l.Index)))
		}
		_, err := io.WriteString(t.Out, names.String())
		return err
	}
	out := table{columns: []column{
		{name: "Task"}, {name: "State"}, {name: "Attempt"}, {name: "Counted"}, {name: "Code"}, {name: "Reason"}, {name: "Node"}, {name: "IP"},
		{name: "Pod", wide: true}, {name: "Said", wide: true}, {name: "Since"},
	}, wide: t.output.format == "wide", noHeaders: t.noHeaders}
	for _, l := range lines {
		out.add(l.cells()...)
	}
	if slices.ContainsFunc(lines, func(l taskLine) bool { return l.item != "" }) {
		out.insert(1, column{name: "Item"}, func(row int) any { return completion.CutVisibly(lines[row].item, longestItem) })
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

// taskList is the document of a list of Tasks, as -o json and -o yaml print it.
type taskList struct {
	document
	Items []taskDocument `json:"items"`
}

// taskDocument is one Task of a list. Unknown values are left out.
type taskDocument struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	Index int32  `json:"index"`
	Item  string `json:"item,omitempty"`
	// State as in the table, which differs from the state of the status.
	State explain.Standing `json:"state"`
	// Attempt from 0. Retries is how often the Task was retried, Counted how often that counted against maxRetryCount.
	Attempt int32 `json:"attempt"`
	Retries int32 `json:"retries"`
	Counted int32 `json:"counted"`
	*endDocument
	Pod  string `json:"pod,omitempty"`
	Node string `json:"node,omitempty"`
	IP   string `json:"ip,omitempty"`
	// Since is when the Task entered its state of the status.
	Since metav1.Time `json:"since,omitzero"`
}

// endDocument is how an attempt has ended.
type endDocument struct {
	Code        int32  `json:"code"`
	Phrase      string `json:"phrase,omitempty"`
	Type        string `json:"type,omitempty"`
	Diagnostics string `json:"diagnostics,omitempty"`
}

func endDocumentOf(s *v1.CompletionStatus) *endDocument {
	return &endDocument{s.Code, s.Phrase, string(s.Type.Name), s.Diagnostics}
}

func documentOfTasks(header document, lines []taskLine) taskList {
	list := taskList{header, []taskDocument{}}
	for _, l := range lines {
		d := taskDocument{
			Name: explain.TaskName(l.role, l.Index), Role: l.role, Index: l.Index, Item: l.item, State: explain.StandingOf(l.TaskStatus),
			Attempt: l.AttemptStatus.ID, Retries: l.RetryPolicyStatus.TotalRetriedCount, Counted: l.RetryPolicyStatus.AccountableRetriedCount,
			Pod: l.AttemptStatus.PodName, Node: l.node(), IP: valueOf(l.AttemptStatus.PodIP), Since: l.TransitionTime,
		}
		if end := l.AttemptStatus.CompletionStatus; end != nil {
			d.endDocument = endDocumentOf(&end.CompletionStatus)
		}
		list.Items = append(list.Items, d)
	}
	return list
}
