package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

type treeing struct {
	looking
	all    bool
	from   string
	output output
}

func (c *caller) tree() *cobra.Command {
	t := &treeing{looking: looking{historyFlags: historyFlags{caller: c}}}
	cmd := &cobra.Command{
		Use:   "tree NAME [--attempt N] [--from FILE] [--all]",
		Short: "Show the roles and Tasks of a Framework as a tree",
		Long: `Show the roles and Tasks of a Framework as a tree.

Consecutive Tasks that look alike share one line, such as "0-997: Running". Below a Task are its earlier attempts: the last eight,
and those before as far as events have them. Earlier attempts of the whole Framework, and a Framework that is gone, come from the
history, if the cluster has a history server. Otherwise events have a little of earlier attempts, and with --from, the log of a
controller shows them as they were. The fields of -o json and -o yaml are stable.`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE:              t.run,
	}
	cmd.Flags().BoolVar(&t.all, "all", false, "Show each Task on a line of its own.")
	t.addFlags(cmd)
	cmd.Flags().StringVar(&t.from, "from", "", "File with the log of a controller, for an earlier attempt.")
	t.output.addFlag(cmd, "json", "yaml")
	return cmd
}

func (t *treeing) run(cmd *cobra.Command, args []string) error {
	if t.from != "" && t.number < 0 {
		return errors.New("--from: say which attempt it is, with --attempt")
	}
	if err := t.output.check(); err != nil {
		return err
	}
	f, err := t.findTree(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	defer f.close()
	s := f.framework()
	if s.Status == nil && t.output.isDocument() {
		return t.output.print(t.caller, treeDocument{document: documentOf("FrameworkTree", s)})
	}
	if s.Status == nil {
		_, err := fmt.Fprintf(t.Out, "%s: no controller has looked at it yet\n", s.Name)
		return err
	}
	root, err := t.rootOf(cmd.Context(), f, s)
	if err != nil {
		return err
	}
	if t.output.isDocument() {
		return t.output.print(t.caller, root)
	}
	_, err = io.WriteString(t.Out, root.node().String())
	return err
}

// findTree finds the Framework in the cluster or in the history. Events have a little of an earlier attempt if there is no history.
func (t *treeing) findTree(ctx context.Context, name string) (*found, error) {
	f, err := t.inCluster(ctx, name)
	if err != nil || f.stored != nil && (t.from != "" || !t.isEarlier(f.stored)) {
		return f, err
	}
	err = t.read(ctx, f, bare(name))
	if f.stored != nil && err != nil && t.number < f.stored.Status.AttemptStatus.ID {
		var none *historyclient.NoServer
		if !errors.As(err, &none) {
			fmt.Fprintf(t.ErrOut, "warning: %v\n", err)
		}
		return f, nil
	}
	return f, err
}

// rootOf is the tree of the attempt that is wanted.
func (t *treeing) rootOf(ctx context.Context, f *found, s *stored) (*treeDocument, error) {
	if f.attempt != nil {
		d := treeOf(s, told{attempts: f.attempt.earlierAttempts()}, t.all)
		d.FromHistory = true
		return d, nil
	}
	current := s.Status.AttemptStatus.ID
	switch {
	case t.number > current:
		return nil, fmt.Errorf("there is no attempt %d of Framework %s: the current one is %d", t.number, s.Name, current)
	case t.from != "":
		return t.fromLog(s)
	}
	told := told{}
	if s.wasRetried() {
		events, err := f.sortedEvents(ctx, s, object{v1.FrameworkKind, s.Name})
		if err != nil {
			return nil, err
		}
		told = tellingsOf(events)
	}
	if t.number >= 0 && t.number < current {
		return told.treeOfAttempt(s, t.number), nil
	}
	return treeOf(s, told, t.all), nil
}

// fromLog is the tree of an attempt as it was when it was over.
func (t *treeing) fromLog(s *stored) (*treeDocument, error) {
	found, err := t.readSaved(t.from)
	if err != nil {
		return nil, err
	}
	var then *stored
	for _, f := range found.frameworks {
		if f.UID == s.UID && f.broken == nil && f.Status != nil && f.Status.AttemptStatus.ID == t.number {
			then = f // the last one is the latest
		}
	}
	if then == nil {
		return nil, fmt.Errorf("%s does not tell of attempt %d of Framework %s in namespace %s", t.from, t.number, s.Name, s.Namespace)
	}
	return treeOf(then, found.told(then), t.all), nil
}

// node is a line of a tree, and the lines below it.
type node struct {
	text     string
	children []*node
}

func (n *node) add(format string, args ...any) *node {
	child := &node{text: fmt.Sprintf(format, args...)}
	n.children = append(n.children, child)
	return child
}

func (n *node) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, n.text)
	n.write(&b, "")
	return b.String()
}

func (n *node) write(b *strings.Builder, indent string) {
	for i, child := range n.children {
		branch, below := "├── ", "│   "
		if i == len(n.children)-1 {
			branch, below = "└── ", "    "
		}
		fmt.Fprintf(b, "%s%s%s\n", indent, branch, onOneLine(child.text))
		child.write(b, indent+below)
	}
}

// treeDocument is a tree as -o json and -o yaml print it. Unknown values are left out.
type treeDocument struct {
	document
	// State of the status; empty before a controller has looked at the Framework, and for an earlier attempt known only from events.
	State v1.State `json:"state,omitempty"`
	// Attempt from 0; nil before a controller has looked at the Framework.
	Attempt *int32 `json:"attempt,omitempty"`
	*endDocument
	// Earlier attempts of the whole Framework, the first one first.
	Earlier []earlier `json:"earlier,omitempty"`
	// Roles are nil if they are not known.
	Roles []roleDocument `json:"roles,omitzero"`
	// Events of an earlier attempt that the status no longer has.
	Events []eventDocument `json:"events,omitempty"`
	// Unread are messages about retries of the whole Framework by an older controller, which has noted no facts.
	Unread []string `json:"unread,omitempty"`

	eventsOnly bool
}

type roleDocument struct {
	Name  string `json:"name"`
	Tasks int    `json:"tasks"`
	// Ranges are consecutive Tasks that look alike; with --all, single Tasks.
	Ranges []rangeDocument `json:"ranges"`
}

type rangeDocument struct {
	First   int32            `json:"first"`
	Last    int32            `json:"last"`
	State   explain.Standing `json:"state"`
	Attempt int32            `json:"attempt"`
	Counted int32            `json:"counted"`
	*endDocument
	// Only for a single Task: its Pod, and its earlier attempts.
	Pod     string    `json:"pod,omitempty"`
	Node    string    `json:"node,omitempty"`
	IP      string    `json:"ip,omitempty"`
	Earlier []earlier `json:"earlier,omitempty"`

	looks looks
}

type eventDocument struct {
	// Attempt that the event is about; nil if an older controller has not noted it, and it may be any.
	Attempt *int32 `json:"attempt,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// treeOf returns the tree of an attempt, below the facts of the earlier ones.
func treeOf(s *stored, told told, all bool) *treeDocument {
	a := &s.Status.AttemptStatus
	d := &treeDocument{document: documentOf("FrameworkTree", s), State: s.Status.State, Attempt: &a.ID, Earlier: told.attempts, Unread: told.unread, Roles: []roleDocument{}}
	if a.CompletionStatus != nil {
		d.endDocument = endDocumentOf(&a.CompletionStatus.CompletionStatus)
	}
	for i := range a.TaskRoleStatuses {
		role := &a.TaskRoleStatuses[i]
		of := roleDocument{Name: role.Name, Tasks: len(role.TaskStatuses), Ranges: []rangeDocument{}}
		for _, r := range fold(role.TaskStatuses, all) {
			of.Ranges = append(of.Ranges, r.document(told, role.Name))
		}
		d.Roles = append(d.Roles, of)
	}
	return d
}

func (r taskRange) document(told told, role string) rangeDocument {
	l, a := looksOf(r.task), &r.task.AttemptStatus
	d := rangeDocument{First: r.first, Last: r.last, State: l.standing, Attempt: l.attempt, Counted: l.retries, looks: l}
	if end := a.CompletionStatus; end != nil {
		d.endDocument = endDocumentOf(&end.CompletionStatus)
	}
	if r.first != r.last {
		if d.endDocument != nil {
			d.Diagnostics = "" // Tasks that look alike may differ in these
		}
		return d
	}
	d.Earlier = told.attemptsOf(role, r.task)
	d.Pod, d.Node, d.IP = a.PodName, valueOf(a.PodNodeName), valueOf(a.PodIP)
	return d
}

// node is the tree for people.
func (d *treeDocument) node() *node {
	if d.eventsOnly {
		return d.nodeOfEvents()
	}
	end := ""
	if d.endDocument != nil {
		end = strings.TrimRight(fmt.Sprintf(", code %d %s", d.Code, d.Phrase), " ")
	}
	root := &node{text: fmt.Sprintf("%s: %s, attempt %d%s", d.Framework, d.State, *d.Attempt, end)}
	for _, message := range d.Unread {
		root.add("earlier: %s", message)
	}
	for _, e := range d.Earlier {
		root.add("%s", e)
	}
	for _, role := range d.Roles {
		branch := root.add("%s: %s", role.Name, plural(role.Tasks, "Task"))
		for i := range role.Ranges {
			r := &role.Ranges[i]
			leaf := branch.add("%s: %s%s", taskRange{first: r.First, last: r.Last}, r.looks, r.place())
			for _, e := range r.Earlier {
				leaf.add("%s", e)
			}
		}
	}
	return root
}

// nodeOfEvents returns the tree of an earlier attempt, as far as events describe it.
func (d *treeDocument) nodeOfEvents() *node {
	root := &node{text: fmt.Sprintf("%s: attempt %d, which is over", d.Framework, *d.Attempt)}
	for _, e := range d.Events {
		if e.Attempt == nil {
			root.add("of one of the attempts: %s: %s", e.Reason, e.Message)
			continue
		}
		root.add("%s: %s", e.Reason, e.Message)
	}
	if len(d.Events) == 0 {
		root.add("its events are gone; to see it, pass the controller's log with --from")
	}
	return root
}

// place is where the Pod of a single Task is.
func (r *rangeDocument) place() string {
	if r.Node == "" {
		return ""
	}
	text := ", Pod " + r.Pod + " on " + r.Node
	if r.IP != "" {
		text += ", " + r.IP
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
