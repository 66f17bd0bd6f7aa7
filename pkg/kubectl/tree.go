package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

type treeing struct {
	*caller
	all     bool
	attempt int32
	from    string
}

func (c *caller) tree() *cobra.Command {
	t := &treeing{caller: c}
	cmd := &cobra.Command{
		Use:   "tree NAME [--attempt N] [--from FILE] [--all]",
		Short: "Show the roles and Tasks of a Framework as a tree",
		Long: `Show the roles and Tasks of a Framework as a tree.

Tasks in a row that look alike are one line, such as "0-997: Running". Below a Task are its earlier attempts: the last eight,
and those before as far as the events tell of them. So are those of the whole Framework; the log of a controller has them as
they were, for --from.`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE:              t.run,
	}
	cmd.Flags().BoolVar(&t.all, "all", false, "Show each Task on a line of its own.")
	cmd.Flags().Int32Var(&t.attempt, "attempt", -1, "Number of the attempt of the whole Framework, from 0. By default it is the current one.")
	cmd.Flags().StringVar(&t.from, "from", "", "File with the log of a controller, for an earlier attempt.")
	return cmd
}

func (t *treeing) run(cmd *cobra.Command, args []string) error {
	if t.from != "" && t.attempt < 0 {
		return errors.New("--from: say which attempt it is, with --attempt")
	}
	k, err := t.cluster()
	if err != nil {
		return err
	}
	s, err := k.get(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if s.Status == nil {
		_, err := fmt.Fprintf(t.Out, "%s: no controller has looked at it yet\n", s.Name)
		return err
	}
	root, err := t.rootOf(cmd.Context(), k, s)
	if err != nil {
		return err
	}
	_, err = io.WriteString(t.Out, root.String())
	return err
}

// rootOf is the tree of the attempt that is wanted.
func (t *treeing) rootOf(ctx context.Context, k *cluster, s *stored) (*node, error) {
	current := s.Status.AttemptStatus.ID
	switch {
	case t.attempt > current:
		return nil, fmt.Errorf("there is no attempt %d of Framework %s: the current one is %d", t.attempt, s.Name, current)
	case t.from != "":
		return t.fromHistory(s)
	}
	told := told{}
	if s.wasRetried() {
		events, err := k.sortedEvents(ctx, s, object{v1.FrameworkKind, s.Name})
		if err != nil {
			return nil, err
		}
		told = tellingsOf(events)
	}
	if t.attempt >= 0 && t.attempt < current {
		return told.treeOfAttempt(s.Name, t.attempt), nil
	}
	return treeOf(s, told, t.all), nil
}

// fromHistory is the tree of an attempt as it was when it was over.
func (t *treeing) fromHistory(s *stored) (*node, error) {
	found, err := t.readSaved(t.from)
	if err != nil {
		return nil, err
	}
	var then *stored
	for _, f := range found.frameworks {
		if f.UID == s.UID && f.broken == nil && f.Status != nil && f.Status.AttemptStatus.ID == t.attempt {
			then = f // the last one is the latest
		}
	}
	if then == nil {
		return nil, fmt.Errorf("%s does not tell of attempt %d of Framework %s in namespace %s", t.from, t.attempt, s.Name, s.Namespace)
	}
	return treeOf(then, found.told(then), t.all), nil
}

// node is a line of a tree, and what is below it.
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

// treeOf is the tree of an attempt, below what is known of the earlier ones.
func treeOf(s *stored, told told, all bool) *node {
	a := &s.Status.AttemptStatus
	root := &node{text: fmt.Sprintf("%s: %s, attempt %d%s", s.Name, s.Status.State, a.ID, endOf(a.CompletionStatus))}
	for _, message := range told.unread {
		root.add("earlier: %s", message)
	}
	for _, e := range told.attempts {
		root.add("%s", e)
	}
	for i := range a.TaskRoleStatuses {
		role := &a.TaskRoleStatuses[i]
		branch := root.add("%s: %s", role.Name, plural(len(role.TaskStatuses), "Task"))
		for _, r := range fold(role.TaskStatuses, all) {
			leaf := branch.add("%s: %s%s", r, looksOf(r.task), r.place())
			if r.first != r.last {
				continue
			}
			for _, e := range told.attemptsOf(role.Name, r.task) {
				leaf.add("%s", e)
			}
		}
	}
	return root
}

func endOf(s *v1.FrameworkAttemptCompletionStatus) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(", code %d %s", s.Code, s.Phrase)
}

// place is where the Pod of a Task is; empty for several Tasks.
func (r taskRange) place() string {
	a := &r.task.AttemptStatus
	if r.first != r.last || a.PodNodeName == nil || *a.PodNodeName == "" {
		return ""
	}
	text := ", Pod " + a.PodName + " on " + *a.PodNodeName
	if a.PodIP != nil && *a.PodIP != "" {
		text += ", " + *a.PodIP
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
