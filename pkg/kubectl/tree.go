package kubectl

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

type treeing struct {
	*caller
	all     bool
	attempt int32
}

func (c *caller) tree() *cobra.Command {
	t := &treeing{caller: c}
	cmd := &cobra.Command{
		Use:   "tree NAME [--attempt N] [--all]",
		Short: "Show the roles and Tasks of a Framework as a tree",
		Long: `Show the roles and Tasks of a Framework as a tree.

Tasks in a row that look alike are one line, such as "0-997: Running". Of earlier attempts of the whole Framework
only what the events say is known.`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE:              t.run,
	}
	cmd.Flags().BoolVar(&t.all, "all", false, "Show each Task on a line of its own.")
	cmd.Flags().Int32Var(&t.attempt, "attempt", -1, "Number of the attempt of the whole Framework, from 0. By default it is the current one.")
	return cmd
}

func (t *treeing) run(cmd *cobra.Command, args []string) error {
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
	switch current := s.Status.AttemptStatus.ID; {
	case t.attempt > current:
		return fmt.Errorf("there is no attempt %d of Framework %s: the current one is %d", t.attempt, s.Name, current)
	case t.attempt >= 0 && t.attempt < current:
		return t.printEarlier(cmd.Context(), k, s)
	}
	earlier, err := k.earlierAttempts(cmd.Context(), s)
	if err != nil {
		return err
	}
	_, err = io.WriteString(t.Out, treeOf(s, earlier, t.all).String())
	return err
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

// treeOf is the tree of the current attempt, below what is known of the earlier ones.
func treeOf(s *stored, earlier []string, all bool) *node {
	a := &s.Status.AttemptStatus
	root := &node{text: fmt.Sprintf("%s: %s, attempt %d%s", s.Name, s.Status.State, a.ID, endOf(a.CompletionStatus))}
	for _, text := range earlier {
		root.add("%s", text)
	}
	for i := range a.TaskRoleStatuses {
		role := &a.TaskRoleStatuses[i]
		branch := root.add("%s: %s", role.Name, plural(len(role.TaskStatuses), "Task"))
		for _, r := range fold(role.TaskStatuses, all) {
			branch.add("%s: %s%s", r, looksOf(r.task), r.place())
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

// earlierAttempts says how earlier attempts have ended, as events tell. Nothing else is left of them.
func (k *cluster) earlierAttempts(ctx context.Context, s *stored) (lines []string, err error) {
	if s.Status.AttemptStatus.ID == 0 {
		return nil, nil
	}
	events, err := k.sortedEvents(ctx, s, object{v1.FrameworkKind, s.Name})
	if err != nil {
		return nil, err
	}
	for i := range events {
		var began int32
		if events[i].Reason != lifecycle.ReasonRetried {
			continue
		}
		if _, err := fmt.Sscanf(events[i].Message, "attempt %d begins", &began); err == nil {
			_, how, _ := strings.Cut(events[i].Message, ", after ")
			lines = append(lines, fmt.Sprintf("attempt %d: over, %s", began-1, how))
		}
	}
	return lines, nil
}

// printEarlier prints what the events say of an attempt that is over.
func (t *treeing) printEarlier(ctx context.Context, k *cluster, s *stored) error {
	events, err := k.sortedEvents(ctx, s, object{v1.FrameworkKind, s.Name})
	if err != nil {
		return err
	}
	root := &node{text: fmt.Sprintf("%s: attempt %d, which is over", s.Name, t.attempt)}
	for i := range events {
		e := &events[i]
		var of int32
		_, scanErr := fmt.Sscanf(e.Message, "attempt %d", &of)
		if e.Reason == lifecycle.ReasonRetried {
			of-- // it names the next one
		}
		if scanErr == nil && of == t.attempt {
			root.add("%s: %s", e.Reason, e.Message)
		}
	}
	if len(root.children) == 0 {
		root.add("its events are gone; the history in the log of the controller has it")
	}
	_, err = io.WriteString(t.Out, root.String())
	return err
}
