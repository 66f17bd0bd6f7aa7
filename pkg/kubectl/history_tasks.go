package kubectl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/ended"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// pastTasks is the document of the attempts of Tasks, as -o json and -o yaml print it.
type pastTasks struct {
	answerDocument
	Items []historyapi.TaskAttempt `json:"items"`
}

// tasksOf shows the attempts of the Tasks of a Framework, or the attempts of one Task in detail.
func (r *remembering) tasksOf(ctx context.Context, p *past, name string, args []string) error {
	of := historyclient.Filter{UID: r.uid, Node: r.node, Failed: r.failed}
	if r.given("attempt") {
		of.Attempt = &r.attempt
	}
	if r.given("code") {
		of.Code = &r.code
	}
	if len(args) > 0 {
		var err error
		if of.Role, of.Index, err = parsePastTarget(args[0]); err != nil {
			return err
		}
	}
	if r.shadow && of.Index == nil {
		return fmt.Errorf("--shadow shows a Framework or one Task: use %s/0, for example", of.Role)
	}
	found := pastTasks{answerDocument{documentVersion, "PastTaskAttemptList"}, []historyapi.TaskAttempt{}}
	more, err := p.TasksOf(ctx, p.namespace, name, of, r.limit, func(t historyapi.TaskAttempt) error {
		found.Items = append(found.Items, t)
		return nil
	})
	switch {
	case err != nil:
		return err
	case r.output.isDocument():
		err = r.output.print(r.caller, found)
	case len(found.Items) == 0:
		_, err = fmt.Fprintf(r.ErrOut, "No such attempts of Tasks in the history of Framework %s.\n", onOneLine(name))
	case r.output.format == "name":
		err = r.printTaskNames(found.Items)
	case of.Index != nil:
		err = r.printTask(found.Items)
	default:
		err = r.printTasks(found.Items)
	}
	if more && err == nil {
		err = r.thereIsMore("attempts of Tasks")
	}
	return err
}

// parsePastTarget parses ROLE, ROLE/INDEX or ROLE-INDEX. Only the server knows whether there was such a Task.
func parsePastTarget(arg string) (role string, index *int32, err error) {
	role, number, isTask := strings.Cut(arg, "/")
	if !isTask {
		role, number, isTask = strings.Cut(arg, "-")
	}
	if !isTask {
		return role, nil, nil
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 0 {
		return "", nil, fmt.Errorf("%q is not the index of a Task: use %s/0, for example", number, role)
	}
	at := int32(n)
	return role, &at, nil
}

// printTaskNames prints each Task once.
func (r *remembering) printTaskNames(of []historyapi.TaskAttempt) error {
	var names strings.Builder
	seen := map[string]bool{}
	for i := range of {
		if name := onOneLine(explain.TaskName(of[i].Role, of[i].Index)); !seen[name] {
			seen[name] = true
			fmt.Fprintln(&names, name)
		}
	}
	_, err := io.WriteString(r.Out, names.String())
	return err
}

func (r *remembering) printTasks(of []historyapi.TaskAttempt) error {
	t := table{columns: []column{
		{name: "Task"}, {name: "In"}, {name: "Attempt"}, {name: "Outcome"}, {name: "Type"}, {name: "Node"}, {name: "Waited"}, {name: "Started"}, {name: "Ran"},
		{name: "Ended"}, {name: "Pod", wide: true}, {name: "Rule", wide: true}, {name: "Deleted", wide: true}, {name: "Said", wide: true},
	}, wide: r.output.format == "wide", noHeaders: r.noHeaders}
	for i := range of {
		a := &of[i]
		c := &a.Completion
		t.add(explain.TaskName(a.Role, a.Index), a.FrameworkAttempt, a.Attempt, outcomeOf(c), kindOf(c), a.Node,
			span(&a.Began, a.Scheduled), span(a.Scheduled, a.Ran), span(a.Ran, ended.StopOf(a)), stamp(&a.Ended), a.Pod, c.Rule, a.DeletionCause, completion.Words(c.Diagnostics))
	}
	return t.print(r.Out)
}

// printTask prints the attempts of one Task, with their phases and containers.
func (r *remembering) printTask(of []historyapi.TaskAttempt) error {
	var out bytes.Buffer
	for i := range of {
		if i > 0 {
			out.WriteString("\n")
		}
		if err := r.aboutTaskAttempt(&out, &of[i]); err != nil {
			return err
		}
	}
	_, err := r.Out.Write(out.Bytes())
	return err
}

func (r *remembering) aboutTaskAttempt(out *bytes.Buffer, a *historyapi.TaskAttempt) error {
	c := &a.Completion
	printLine(out, "%s, attempt %d in attempt %d of the Framework: %s", explain.TaskName(a.Role, a.Index), a.Attempt, a.FrameworkAttempt, outcomeWithKind(c))
	printLine(out, "  %s", strings.Join(append([]string{"Pod " + a.Pod + on(a.Node)}, retryWords(c, a.Retry)...), ", "))
	printLine(out, "  began %s%s", stamp(&a.Began), phases(phase{"waited", &a.Began, a.Scheduled}, phase{"initialized in", a.Scheduled, a.Initialized},
		phase{"started in", laterOf(a.Initialized, a.Scheduled), a.Ran}, phase{"ran", a.Ran, ended.StopOf(a)}, phase{"took", &a.Began, &a.Ended}))
	if c.Plugin != "" {
		printLine(out, "  judged by plugin %s %s, rule %q", c.Plugin, c.PluginVersion, c.Rule)
	}
	if r.shadow {
		aboutShadows(out, a.Shadow)
	}
	if a.DeletionCause != "" {
		printLine(out, "  Pod deleted: cause %s", a.DeletionCause)
	}
	if words := completion.Words(c.Diagnostics); words != "" {
		printLine(out, "  %s", words)
	}
	if c.Remedy != "" {
		printLine(out, "  remedy: %s", c.Remedy)
	}
	if len(a.Containers) == 0 {
		return nil
	}
	t := table{columns: []column{{name: "Container"}, {name: "Exit"}, {name: "Reason"}, {name: "Restarts"}, {name: "Ran"}, {name: "Image", wide: true}, {name: "Said"}},
		wide: r.output.format == "wide", noHeaders: r.noHeaders}
	for i := range a.Containers {
		t.add(containerCells(&a.Containers[i])...)
	}
	return t.printIndented(out)
}

func containerCells(c *historyapi.Container) []any {
	name, exit := c.Name, ""
	if c.Init {
		name += " (init)"
	}
	switch {
	case c.Signal != 0:
		exit = fmt.Sprintf("signal %d", c.Signal)
	case c.ExitCode != nil:
		exit = fmt.Sprint(*c.ExitCode)
	}
	return []any{name, exit, c.Reason, c.Restarts, span(c.Started, c.Finished), c.Image, c.Message}
}

// laterOf returns the first of two times that there is.
func laterOf(a, b *time.Time) *time.Time {
	if a != nil {
		return a
	}
	return b
}

// phase is a part of an attempt.
type phase struct {
	name     string
	from, to *time.Time
}

// phases words the known phases, each after a comma.
func phases(of ...phase) string {
	var text strings.Builder
	for _, p := range of {
		if d := span(p.from, p.to); d != "" {
			text.WriteString(", " + p.name + " " + d)
		}
	}
	return text.String()
}
