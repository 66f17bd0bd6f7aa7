package kubectl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// coded is an error that ends the process with a code of its own.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

// caller holds the terminal, and the flags that choose a cluster and a namespace.
type caller struct {
	genericiooptions.IOStreams
	flags *genericclioptions.ConfigFlags
}

// Run runs the command line and returns the exit code of the process.
func Run(ctx context.Context, streams genericiooptions.IOStreams, args []string) int {
	root := New(streams)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitBrokenOff
	}
	if err.Error() != "" {
		fmt.Fprintf(plainWriter{streams.ErrOut}, "error: %v\n", err)
	}
	var c coded
	if errors.As(err, &c) {
		return c.code
	}
	return exitError
}

// New returns the command `kubectl framework` with all its subcommands.
func New(streams genericiooptions.IOStreams) *cobra.Command {
	streams = plainStreams(streams)
	c := &caller{streams, genericclioptions.NewConfigFlags(true)}
	root := &cobra.Command{
		Use:   "framework",
		Short: "Show, explain and control Frameworks",
		Long: `Show, explain and control Frameworks.

A Framework is an application of many Pods: roles of Tasks, each Task a Pod. Start with

  kubectl framework list
  kubectl framework explain NAME`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl framework"},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; %s --help shows the flags", err, cmd.CommandPath())
	})
	c.flags.AddFlags(root.PersistentFlags())
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"See what goes on:", []*cobra.Command{c.list(), c.explain(), c.tree(), c.tasks(), c.logs(), c.events(), c.watch(), c.wait(), c.plugins()}},
		{"See what was:", []*cobra.Command{c.history(), c.report(), c.export(), c.ui()}},
		{"Change it:", []*cobra.Command{c.create(), c.start(), c.stop(), c.scale(), c.delete()}},
		{"Try without changing anything:", []*cobra.Command{c.simulate(), c.convert()}},
		{"About this plugin:", []*cobra.Command{c.completion(), c.version()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID, cmd.DisableFlagsInUseLine = g.title, true
			cmd.Long = withExits(cmd.Name(), cmd.Long)
			cmd.Example = strings.TrimPrefix(examples[cmd.Name()], "\n")
			root.AddCommand(cmd)
		}
		root.SetHelpCommandGroupID(g.title) // the last one
	}
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), globalFlags, "\n\n"+whereGlobalFlags, 1))
	return root
}

// globalFlags is the part of cobra's template with the flags of all commands. It would be longer than the command's own flags.
const globalFlags = `

Global Flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}`

const whereGlobalFlags = `As with kubectl, -n NAMESPACE and --context NAME choose the cluster and the namespace; "kubectl framework --help" shows all flags of this kind.`

// takesName accepts the name of a Framework, and up to atMost arguments in total.
func takesName(atMost int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("name a Framework: %s; kubectl framework list shows all", cmd.UseLine())
		case atMost > 0 && len(args) > atMost:
			return fmt.Errorf("unexpected argument %q: %s", args[atMost], cmd.UseLine())
		}
		return nil
	}
}
