package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// remembering are the flags of the command history.
type remembering struct {
	historyFlags
	failed    bool
	code      int32
	attempt   int32
	node      string
	selector  string
	uid       string
	limit     int
	output    output
	noHeaders bool
	shadow    bool
	// given reports whether a flag was set.
	given func(name string) bool
}

func (c *caller) history() *cobra.Command {
	r := &remembering{historyFlags: historyFlags{caller: c}}
	cmd := &cobra.Command{
		Use:   "history [NAME [ROLE[/INDEX]]] [-A] [--since 7d] [--failed] [--attempt N]",
		Short: "Show which Frameworks ran, and their attempts, also after they are gone",
		Long: `Show which Frameworks ran, and their attempts, also after they are gone.

Without a name, it lists Frameworks, the newest first. With a name, it shows the attempts of the newest Framework of that name, and
counts the outcomes of their Tasks: first the outcome that ended the attempt, then permanent and unknown failures. Transient ones,
such as preemptions, share a line. With -o wide, they have a line each, and happenings are listed, such as rescales, waits and opened
gates. With a role, a Task, --attempt, --failed, --code or --node, it shows the attempts of Tasks.

With --shadow and without a name, it sums up how plugins and rules in shadow would have decided. With a name, it shows their verdicts below
the attempts of the Framework, or of one Task.

It reads the history server of the cluster with your own credentials. You see the namespaces in which you may get Frameworks.`,
		Args:              atMostArguments(2),
		ValidArgsFunction: c.completeNames(false),
		RunE:              r.run,
	}
	r.addFlags(cmd, "7d")
	f := cmd.Flags()
	f.BoolVar(&r.failed, "failed", false, "List only failures.")
	f.Int32Var(&r.code, "code", 0, "List only outcomes with the code `N`.")
	f.StringVar(&r.node, "node", "", "List only Tasks that ran on this node, or Frameworks with such Tasks.")
	f.StringVarP(&r.selector, "selector", "l", "", "Label selector, such as team=vision.")
	f.StringVar(&r.uid, "uid", "", "UID of the Framework, if it is not the newest of its name; -o wide shows it.")
	f.Int32Var(&r.attempt, "attempt", 0, "Show the attempts of Tasks in attempt `N` of the Framework.")
	f.IntVar(&r.limit, "limit", 500, "Maximum number of lines.")
	f.BoolVar(&r.shadow, "shadow", false, "Show what plugins and rules in shadow would have decided.")
	f.BoolVar(&r.noHeaders, "no-headers", false, "Do not print the column headers.")
	r.output.addFlag(cmd, "wide", "json", "yaml", "name")
	r.given = f.Changed
	return cmd
}

// atMostArguments accepts a number of arguments, and none.
func atMostArguments(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return fmt.Errorf("unexpected argument %q: %s", args[n], cmd.UseLine())
		}
		return nil
	}
}

func (r *remembering) run(cmd *cobra.Command, args []string) error {
	if err := r.check(args); err != nil {
		return err
	}
	p, err := r.connect(cmd.Context())
	if err != nil {
		return err
	}
	defer p.Close()
	switch {
	case len(args) == 0 && r.shadow:
		err = r.shadows(cmd.Context(), p)
	case len(args) == 0:
		err = r.list(cmd.Context(), p)
	case len(args) == 1 && !r.ofTasks():
		err = r.framework(cmd.Context(), p, bare(args[0]))
	default:
		err = r.tasksOf(cmd.Context(), p, bare(args[0]), args[1:])
	}
	return p.inPlainWords(err)
}

// ofTasks reports whether flags ask for Tasks.
func (r *remembering) ofTasks() bool {
	return r.given("attempt") || r.given("code") || r.given("node") || r.failed
}

func (r *remembering) check(args []string) error {
	switch {
	case r.limit < 1:
		return errors.New("--limit is less than 1")
	case len(args) == 0 && (r.given("attempt") || r.given("uid")):
		return errors.New("--attempt and --uid are about one Framework: name it")
	case len(args) > 0 && r.allNamespaces:
		return errors.New("-A lists Frameworks of all namespaces: leave out the name, or use -n in its place")
	case len(args) > 0 && r.selector != "":
		return errors.New("-l lists Frameworks with a label: leave out the name")
	case r.shadow && len(args) == 0 && (r.ofTasks() || r.selector != ""):
		return errors.New("--shadow sums up a namespace: leave out --failed, --code, --node and -l")
	case r.shadow && len(args) == 0 && r.output.format == "name":
		return errors.New("--shadow lists no names: use -o json or -o yaml")
	case r.shadow && len(args) == 1 && r.ofTasks():
		return errors.New("--shadow shows a Framework or one Task: name the Task, or leave out --attempt, --failed, --code and --node")
	}
	return r.output.check()
}

// answerDocument is the header of documents that -o json and -o yaml print from the history server.
type answerDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// pastFrameworks is the document of a list of Frameworks.
type pastFrameworks struct {
	answerDocument
	Items []historyapi.Framework `json:"items"`
}

func (r *remembering) list(ctx context.Context, p *past) error {
	of := p.filter()
	of.LabelSelector, of.Node, of.Failed = r.selector, r.node, r.failed
	if r.given("code") {
		of.Code = &r.code
	}
	found := pastFrameworks{answerDocument{documentVersion, "PastFrameworkList"}, []historyapi.Framework{}}
	more, err := p.Frameworks(ctx, of, r.limit, func(f historyapi.Framework) error {
		found.Items = append(found.Items, f)
		return nil
	})
	switch {
	case err != nil:
		return err
	case r.output.isDocument():
		err = r.output.print(r.caller, found)
	case len(found.Items) == 0:
		err = r.nothing(p)
	case r.output.format == "name":
		err = r.printNames(found.Items)
	default:
		err = r.printFrameworks(found.Items)
	}
	if more && err == nil {
		err = r.thereIsMore("Frameworks")
	}
	return err
}

func (r *remembering) nothing(p *past) error {
	_, err := fmt.Fprintf(r.ErrOut, "No such Frameworks in the history of the last %s %s. --since goes back further.\n", &r.since, p.where())
	return err
}

// thereIsMore keeps a reader from taking a part for the whole.
func (r *remembering) thereIsMore(what string) error {
	_, err := fmt.Fprintf(r.ErrOut, "There are more %s than --limit %d shows.\n", what, r.limit)
	return err
}

func (r *remembering) printNames(of []historyapi.Framework) error {
	var names strings.Builder
	for _, f := range of {
		name := f.Name
		if r.allNamespaces {
			name = f.Namespace + "/" + f.Name
		}
		fmt.Fprintln(&names, onOneLine(name))
	}
	_, err := io.WriteString(r.Out, names.String())
	return err
}

func (r *remembering) printFrameworks(of []historyapi.Framework) error {
	t := table{columns: []column{
		{name: "Name"}, {name: "State"}, {name: "Outcome"}, {name: "Attempts"}, {name: "Tasks"}, {name: "Created"}, {name: "Duration"},
		{name: "Queue", wide: true}, {name: "Counted", wide: true}, {name: "UID", wide: true},
	}, wide: r.output.format == "wide", noHeaders: r.noHeaders}
	if r.allNamespaces {
		t.columns = append([]column{{name: "Namespace"}}, t.columns...)
	}
	for _, f := range of {
		cells := []any{f.Name, f.State, outcomeOf(f.Completion), f.Retries + 1, f.Tasks, stamp(&f.Created), span(&f.Created, f.Completed),
			f.Queue, f.AccountableRetries, f.UID}
		if r.allNamespaces {
			cells = append([]any{f.Namespace}, cells...)
		}
		t.add(cells...)
	}
	return t.print(r.Out)
}

// outcomeOf words a completion; empty for nil.
func outcomeOf(c *historyapi.Completion) string {
	if c == nil {
		return ""
	}
	return outcome(c.Code, c.Phrase, c.Type)
}

func outcome(code int32, phrase, kind string) string {
	if code == 0 && kind == succeeded {
		return kind
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, phrase))
}

// stamp words a time; empty for nil or zero.
func stamp(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// span words the time between two; empty if one is missing.
func span(from, to *time.Time) string {
	if from == nil || to == nil || from.IsZero() || to.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, to.Sub(*from))) // the clock of a node may be late
}
